//! The rules by name.

use std::fmt;
use std::str::FromStr;

/// Which foreground an iteration deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Guo, Hall 1989: two subiterations. Of the plane.
    GuoHall,
    /// Zhang, Suen 1984: two subiterations. Of the plane; does not keep topology.
    ZhangSuen,
    /// Kashani-Akhavan 2017, as published: all pixels at once. Of the plane; does not keep topology.
    Kashani,
    /// The same, but a pixel of an isolated 2×2 block stays. Of the plane.
    KashaniSafe,
    /// Simple points in eight subfields. Of space, and of the plane.
    Subfields,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 5] =
        [Rule::GuoHall, Rule::ZhangSuen, Rule::Kashani, Rule::KashaniSafe, Rule::Subfields];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Rule::GuoHall => "guo-hall",
            Rule::ZhangSuen => "zhang-suen",
            Rule::Kashani => "kashani",
            Rule::KashaniSafe => "kashani-safe",
            Rule::Subfields => "subfields",
        }
    }

    /// Whether it keeps the Betti numbers of the foreground, whatever the image.
    pub fn keeps_topology(self) -> bool {
        matches!(self, Rule::GuoHall | Rule::KashaniSafe | Rule::Subfields)
    }

    /// Whether it is for planes only.
    pub fn is_planar(self) -> bool {
        self != Rule::Subfields
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no rule of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected one of {}, found {found}", Rule::ALL.map(Rule::name).join(", "))]
pub struct UnknownRule {
    found: String,
}

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(name: &str) -> Result<Self, UnknownRule> {
        let rule = Rule::ALL.into_iter().find(|rule| rule.name() == name);
        rule.ok_or_else(|| UnknownRule { found: name.to_owned() })
    }
}
