//! Values of voxels as text.

use crate::cubical::Value;
use crate::output::number::General;

impl Value {
    /// Appends the value: an integer, the fewest digits that read back as the same double, `inf` or `-inf`.
    pub(super) fn push(self, out: &mut String) {
        match self {
            Value::Unsigned(value) => out.push_str(itoa::Buffer::new().format(value)),
            Value::Signed(value) => out.push_str(itoa::Buffer::new().format(value)),
            Value::Double(value) if value.is_finite() => {
                out.push_str(zmij::Buffer::new().format_finite(value));
            }
            Value::Double(value) => out.push_str(if value > 0.0 { "inf" } else { "-inf" }),
        }
    }

    /// Like `push`, but with six significant digits if it is not an integer, as `%g`.
    pub(super) fn push_general(self, out: &mut String) {
        match self {
            // Writing to a string does not fail.
            Value::Double(value) => drop(General(value).write(out)),
            integer => integer.push(out),
        }
    }
}
