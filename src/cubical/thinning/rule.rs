//! The rules by name.

use serde::Serialize;

use crate::names::named;

/// Which foreground an iteration deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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

    /// Whether it keeps the Betti numbers of the foreground, whatever the image.
    pub fn keeps_topology(self) -> bool {
        matches!(self, Rule::GuoHall | Rule::KashaniSafe | Rule::Subfields)
    }

    /// Whether it is for planes only.
    pub fn is_planar(self) -> bool {
        self != Rule::Subfields
    }
}

named!(Rule);
