//! The choices of a run as text, one line each.

use std::fmt;

use super::{PairSearch, Plan, SecondLayer, Shape};
use crate::names;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { points, index_width, entry_width, .. } = self;
        let (cofacets, vertices) = (self.max_dim + 1, self.max_dim + 2);
        let pair_store = match self.pair_store {
            SecondLayer::Implicit => IMPLICIT,
            SecondLayer::Sorted => SORTED,
        };
        let mut lines = vec![
            ("backend", self.backend.clone()),
            ("points", points.to_string()),
            ("dimension", self.explain_dimension()),
            ("threshold", self.explain_threshold()),
            ("distances", self.explain_search()),
            ("coefficients", format!("Z/{}", self.modulus)),
            ("shape", self.explain_shape()),
            ("rank width", self.explain_rank_width()),
            (
                "index width",
                format!(
                    "{index_width} bits: the {vertices} vertices of a simplex of dimension {cofacets} among {points} points"
                ),
            ),
            ("entry width", format!("{entry_width} bits: {ENTRY}")),
            ("residue", RESIDUE.to_string()),
            ("pair store", pair_store.to_string()),
            ("threads", self.threads.to_string()),
            ("simd", self.simd.to_string()),
        ];
        if !self.representatives.is_empty() {
            let kinds = names::list(&self.representatives);
            lines.push(("representatives", format!("{kinds}, as asked: {REPRESENTATIVES}")));
        }
        for (k, (what, choice)) in lines.iter().enumerate() {
            write!(f, "{}{what:<13} {choice}", if k == 0 { "" } else { "\n" })?;
        }
        if self.memory.stages.is_empty() { Ok(()) } else { write!(f, "\n{}", self.memory) }
    }
}

/// The only strategy: data that can be recomputed is not stored.
const RESIDUE: &str = "streamed: simplices are enumerated, never listed; only columns that are neither cleared nor \
                       apparent are kept, the others are recomputed from the distances when needed";

const ENTRY: &str = "the narrowest word that holds a rank above an index; its order is the filtration order";
const IMPLICIT: &str =
    "implicit: apparent pairs are recomputed from the distances at look-up, which takes no memory";
const SORTED: &str = "sorted: apparent pairs are kept in an array ordered by cofacet, as asked";
const REPRESENTATIVES: &str = "no edges are collapsed, so that simplices are those of the whole filtration";

impl Plan {
    fn explain_dimension(&self) -> String {
        let Plan { points, max_dim, asked_dim, .. } = self;
        if max_dim == asked_dim {
            format!("{max_dim}, as asked")
        } else {
            format!("{max_dim}: {asked_dim} was asked, {points} points have no homology above it")
        }
    }

    fn explain_threshold(&self) -> String {
        let t = shortest(self.threshold);
        if self.enclosing_radius {
            format!("{t}: the enclosing radius, past which the complex is a cone and no bar is born or dies")
        } else if self.threshold.is_infinite() {
            "inf: the whole filtration".to_string()
        } else {
            format!("{t}, as asked")
        }
    }

    /// The number of pairs of points.
    fn pairs(&self) -> u128 {
        self.points as u128 * (self.points as u128).saturating_sub(1) / 2
    }

    fn explain_search(&self) -> String {
        let pairs = self.pairs();
        match self.search {
            PairSearch::Given => "as given".to_string(),
            PairSearch::All => format!("of all {pairs} pairs of points: there is no finite threshold"),
            PairSearch::Dense => {
                format!("of all {pairs} pairs of points: a sample of pairs says that many are near enough")
            }
            PairSearch::SpanningTree => format!(
                "of all {pairs} pairs of points, none of which is kept: dimension 0 takes a spanning tree alone"
            ),
            PairSearch::Tree { compared } => format!(
                "of near points: boxes of a k-d tree left {compared} of {pairs} pairs of points to compare"
            ),
        }
    }

    fn explain_shape(&self) -> String {
        let pairs = self.pairs();
        let edges = self.edges;
        if self.search == PairSearch::SpanningTree {
            return format!("the {edges} edges of a spanning tree up to the threshold");
        }
        let shape = match self.shape {
            Shape::Dense => "dense, a square matrix of ranks",
            Shape::Sparse { bitsets: true } => "sparse, neighbour lists and adjacency bitsets",
            Shape::Sparse { bitsets: false } => {
                "sparse, neighbour lists alone: adjacency bitsets would be too large for what they gain"
            }
        };
        format!("{shape}: {edges} of {pairs} pairs of points are edges up to the threshold")
    }

    fn explain_rank_width(&self) -> String {
        let Plan { ranks, rank_width, .. } = self;
        if self.keys_are_ranks {
            return format!(
                "{rank_width} bits: {ranks} numbers of single precision from the least distance to the greatest, zero included; \
                 entries would be no narrower with the distinct distances alone"
            );
        }
        let why = if *rank_width == 16 { "fit 16 bits" } else { "are too many for 16 bits" };
        format!("{rank_width} bits: {ranks} distinct distances up to the threshold, zero included, {why}")
    }
}

/// A number in its input precision: a single-precision number printed as a double would have spurious digits.
fn shortest(x: f64) -> String {
    let single = x as f32;
    if f64::from(single) == x { single.to_string() } else { x.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryPlan;
    use crate::rips::RepresentativeKind;

    fn plan() -> Plan {
        Plan {
            points: 297,
            edges: 40_000,
            max_dim: 3,
            asked_dim: 3,
            modulus: 2,
            threshold: 1.5,
            enclosing_radius: true,
            search: PairSearch::Given,
            ranks: 6_802,
            keys_are_ranks: false,
            rank_width: 16,
            index_width: 45,
            entry_width: 64,
            shape: Shape::Dense,
            pair_store: SecondLayer::Implicit,
            representatives: Vec::new(),
            walkers: [2, 0],
            threads: 2,
            backend: "cpu: as asked".into(),
            memory: MemoryPlan::default(),
            simd: "AVX2".into(),
        }
    }

    /// The line of one choice, without its name.
    fn line(plan: &Plan, name: &str) -> String {
        let text = plan.to_string();
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no line {name} in\n{text}")).trim().to_string()
    }

    #[test]
    fn every_choice_has_a_line_with_its_figures() {
        let plan = plan();
        assert_eq!(plan.to_string().lines().count(), 14);
        assert_eq!(line(&plan, "dimension"), "3, as asked");
        assert!(line(&plan, "threshold").starts_with("1.5: the enclosing radius"));
        assert!(
            line(&plan, "shape").ends_with("40000 of 43956 pairs of points are edges up to the threshold")
        );
        assert!(line(&plan, "rank width").starts_with("16 bits: 6802 distinct distances"));
        assert!(line(&plan, "index width").starts_with("45 bits: the 5 vertices"));
        assert!(line(&plan, "entry width").starts_with("64 bits"));
        assert!(line(&plan, "residue").starts_with("streamed"));
        assert!(line(&plan, "pair store").starts_with("implicit"));
        assert_eq!(line(&plan, "simd"), "AVX2");
    }

    #[test]
    fn a_threshold_reads_as_it_was_given() {
        let given = |threshold| line(&Plan { enclosing_radius: false, threshold, ..plan() }, "threshold");
        assert_eq!(given(f64::from(1.3f32)), "1.3, as asked");
        assert_eq!(given(1.3), "1.3, as asked");
    }

    #[test]
    fn a_choice_made_otherwise_says_otherwise() {
        let shape = Shape::Sparse { bitsets: false };
        let plan = Plan { shape, pair_store: SecondLayer::Sorted, asked_dim: 900, rank_width: 32, ..plan() };
        let plan = Plan { enclosing_radius: false, threshold: f64::INFINITY, ..plan };
        assert!(line(&plan, "dimension").contains("900 was asked, 297 points"));
        assert_eq!(line(&plan, "threshold"), "inf: the whole filtration");
        assert!(line(&plan, "shape").contains("adjacency bitsets would be too large"));
        let many = Plan { ranks: 65_536, ..plan.clone() };
        assert!(line(&many, "rank width").contains("too many for 16 bits"));
        let keys = Plan { keys_are_ranks: true, ..many };
        assert!(line(&keys, "rank width").starts_with("32 bits: 65536 numbers of single precision from"));
        assert!(line(&plan, "pair store").starts_with("sorted"));
    }

    #[test]
    fn representatives_have_a_line_where_they_are_asked_for() {
        let plan = Plan { representatives: vec![RepresentativeKind::Simplices], ..plan() };
        assert_eq!(plan.to_string().lines().count(), 15);
        assert!(line(&plan, "representatives").starts_with("simplices, as asked: no edges are collapsed"));
    }

    #[test]
    fn the_search_says_what_it_compared() {
        let found = |search| line(&Plan { search, ..plan() }, "distances");
        assert_eq!(found(PairSearch::Given), "as given");
        assert!(found(PairSearch::All).starts_with("of all 43956 pairs of points: there is no finite"));
        assert!(found(PairSearch::Dense).starts_with("of all 43956 pairs of points: a sample"));
        assert!(
            found(PairSearch::SpanningTree)
                .starts_with("of all 43956 pairs of points, none of which is kept")
        );
        assert!(
            found(PairSearch::Tree { compared: 7 }).ends_with("left 7 of 43956 pairs of points to compare")
        );
    }

    #[test]
    fn plans_are_read_back_from_json() {
        let search = PairSearch::Tree { compared: 40_001 };
        let shape = Shape::Sparse { bitsets: true };
        let representatives = vec![RepresentativeKind::Simplices];
        let plan = Plan { threshold: f64::INFINITY, shape, search, representatives, ..plan() };
        let json = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
    }
}
