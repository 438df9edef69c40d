//! Names of the thinning rules.

use serde::Serialize;
use strum::VariantArray;

use crate::names::named;

/// Thinning rule: selects the foreground voxels that an iteration deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// Guo, Hall 1989: two subiterations. Planar.
    GuoHall,
    /// Zhang, Suen 1984: two subiterations. Planar; does not preserve topology.
    ZhangSuen,
    /// Kashani-Akhavan 2017, as published: all pixels at once. Planar; does not preserve topology.
    Kashani,
    /// Like [`Rule::Kashani`], but keeps a pixel of each isolated 2×2 block. Planar.
    KashaniSafe,
    /// Deletion of simple points in eight subfields. For space and for the plane.
    Subfields,
}

impl Rule {
    /// Whether the rule preserves the Betti numbers of the foreground for every image.
    pub fn keeps_topology(self) -> bool {
        match self {
            Rule::GuoHall | Rule::KashaniSafe | Rule::Subfields => true,
            Rule::ZhangSuen | Rule::Kashani => false,
        }
    }

    /// Whether the rule applies to planar images only.
    pub fn is_planar(self) -> bool {
        match self {
            Rule::GuoHall | Rule::ZhangSuen | Rule::Kashani | Rule::KashaniSafe => true,
            Rule::Subfields => false,
        }
    }
}

named!(Rule);
