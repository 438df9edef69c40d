//! Brute-force computation from the definitions, over Z/2. Simplices are sets of at most 16 points as bit masks;
//! among simplices of one dimension the combinatorial index has the order of the masks.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use lacuna::rips::DimensionStats;
use lacuna::{Bar, Diagram};

use super::metrics::Metric;

type Mask = u32;

/// All simplices up to a dimension and a diameter, in filtration order.
pub(crate) struct Filtration {
    n: usize,
    diameter: Vec<f64>,
    simplices: Vec<Mask>,
    position: HashMap<Mask, usize>,
}

impl Filtration {
    pub(crate) fn new(metric: &Metric, top: usize, threshold: f64) -> Filtration {
        let n = metric.n;
        assert!(n <= 16, "brute force is for a few points, not {n}");
        let mut diameter = vec![0.0; 1 << n];
        for mask in 1..1 << n {
            diameter[mask as usize] = diameter_of(mask, &diameter, metric);
        }
        let within =
            |mask: &Mask| diameter[*mask as usize] <= threshold && diameter[*mask as usize].is_finite();
        let mut simplices: Vec<Mask> =
            (1..1 << n).filter(|&mask| dimension(mask) <= top).filter(within).collect();
        simplices.sort_by(|&a, &b| {
            let key = |mask| (dimension(mask), Reverse(mask));
            diameter[a as usize].total_cmp(&diameter[b as usize]).then(key(a).cmp(&key(b)))
        });
        let position = simplices.iter().enumerate().map(|(at, &mask)| (mask, at)).collect();
        Filtration { n, diameter, simplices, position }
    }

    fn facets(&self, mask: Mask) -> impl Iterator<Item = Mask> {
        (0..self.n).map(|v| 1 << v).filter(move |v| mask & v != 0 && mask != *v).map(move |v| mask & !v)
    }

    fn cofacets(&self, mask: Mask) -> impl Iterator<Item = Mask> {
        let all = (0..self.n).map(|v| 1 << v).filter(move |v| mask & v == 0).map(move |v| mask | v);
        all.filter(|cofacet| self.position.contains_key(cofacet))
    }

    fn oldest_cofacet(&self, mask: Mask) -> Option<Mask> {
        self.cofacets(mask).min_by_key(|cofacet| self.position[cofacet])
    }

    fn youngest_facet(&self, mask: Mask) -> Option<Mask> {
        self.facets(mask).max_by_key(|facet| self.position[facet])
    }

    fn same_diameter(&self, a: Mask, b: Mask) -> bool {
        self.diameter[a as usize] == self.diameter[b as usize]
    }

    /// Whether s is apparent: with t its oldest cofacet, s is the youngest facet of t, and the diameters are equal.
    fn is_apparent(&self, s: Mask) -> bool {
        self.oldest_cofacet(s).is_some_and(|t| self.same_diameter(s, t) && self.youngest_facet(t) == Some(s))
    }

    /// The persistence pairs, birth simplex → death simplex, by the standard column algorithm.
    fn pairs(&self) -> HashMap<Mask, Mask> {
        let mut reduced: HashMap<usize, (Mask, BTreeSet<usize>)> = HashMap::new();
        for &death in &self.simplices {
            let mut column: BTreeSet<usize> = self.facets(death).map(|facet| self.position[&facet]).collect();
            while let Some((_, other)) = column.last().and_then(|pivot| reduced.get(pivot)) {
                column = &column ^ other;
            }
            if let Some(&pivot) = column.last() {
                reduced.insert(pivot, (death, column));
            }
        }
        reduced.into_iter().map(|(pivot, (death, _))| (self.simplices[pivot], death)).collect()
    }

    /// The bars of positive length of dimensions 0..=`max_dim`, in any order.
    pub(crate) fn bars(&self, max_dim: usize) -> Diagram {
        let pairs = self.pairs();
        let deaths: BTreeSet<Mask> = pairs.values().copied().collect();
        let mut dimensions = vec![Vec::new(); max_dim + 1];
        for &s in self.simplices.iter().filter(|&&s| dimension(s) <= max_dim && !deaths.contains(&s)) {
            let death = pairs.get(&s).map_or(f64::INFINITY, |&t| self.diameter[t as usize]);
            let bar = Bar { birth: self.diameter[s as usize], death };
            dimensions[dimension(s)].extend((bar.death > bar.birth).then_some(bar));
        }
        Diagram::new(dimensions)
    }

    /// The counts of dimensions 1..=`max_dim`; `additions`, the statistics of the pair store and the times stay 0.
    pub(crate) fn counts(&self, max_dim: usize) -> Vec<DimensionStats> {
        let pairs = self.pairs();
        let deaths: BTreeSet<Mask> = pairs.values().copied().collect();
        (1..=max_dim)
            .map(|dim| {
                let mut counts = DimensionStats::default();
                (counts.dim, counts.backend) = (dim, "cpu".into());
                for &s in self.simplices.iter().filter(|&&s| dimension(s) == dim) {
                    self.count(s, deaths.contains(&s), pairs.get(&s).copied(), &mut counts);
                }
                counts
            })
            .collect()
    }

    fn count(&self, s: Mask, dies: bool, partner: Option<Mask>, counts: &mut DimensionStats) {
        let apparent = self.is_apparent(s);
        let emergent = partner.is_some() && partner == self.oldest_cofacet(s);
        let shortcut = emergent && partner.is_some_and(|t| self.same_diameter(s, t));
        counts.simplices += 1;
        counts.cleared += u64::from(dies);
        counts.apparent += u64::from(apparent);
        counts.shortcut += u64::from(shortcut);
        counts.emergent += u64::from(emergent);
        counts.pairs += u64::from(partner.is_some());
        counts.essential += u64::from(partner.is_none() && !dies);
        counts.residue += u64::from(!dies && !apparent);
    }
}

fn dimension(mask: Mask) -> usize {
    mask.count_ones() as usize - 1
}

fn diameter_of(mask: Mask, smaller: &[f64], metric: &Metric) -> f64 {
    let top = mask.ilog2();
    let rest = mask & !(1 << top);
    let distances = (0..top).filter(|v| rest >> v & 1 == 1).map(|v| metric.get(top as usize, v as usize));
    // Adding 0 turns −0 into 0, since the sort distinguishes them.
    distances.fold(smaller[rest as usize], f64::max) + 0.0
}
