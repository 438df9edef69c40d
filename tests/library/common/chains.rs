//! Chains and cochains of a small filtration as dense vectors over all its simplices or cells, by definition.

use std::collections::HashMap;

use lacuna::rips::Chain;

use super::metrics::Metric;
use super::spans::{Span, Vector};

/// The subcomplex of a filtration at a scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    /// The simplices up to this diameter.
    AtMost(f64),
    /// The simplices below this diameter.
    Below(f64),
}

/// A cell of a complex over Z/2: name, value, and names of facets.
#[derive(Debug, Clone)]
pub(crate) struct NamedCell {
    pub(crate) name: Vec<u32>,
    pub(crate) value: f64,
    pub(crate) facets: Vec<Vec<u32>>,
}

/// All simplices of a filtration up to a dimension and a diameter, or all cells of a complex.
#[derive(Debug)]
pub(crate) struct Filtration {
    pub(crate) modulus: u32,
    /// The simplices of each dimension, sorted by diameter.
    dimensions: Vec<Vec<Simplex>>,
    /// The place of each simplex among those of its dimension, by its ascending vertices.
    places: HashMap<Vec<u32>, usize>,
    /// For each dimension d, the span of the boundaries of the simplices of dimension d + 1, and the diameters with
    /// which the vectors of its basis were added.
    boundaries: Vec<(Span, Vec<f64>)>,
}

#[derive(Debug)]
struct Simplex {
    /// The vertices, ascending.
    vertices: Vec<u32>,
    diameter: f64,
    /// The boundary: places of facets, with coefficients.
    facets: Vec<(usize, u32)>,
}

impl Scale {
    /// Whether a simplex of this diameter is in the subcomplex.
    pub(crate) fn admits(self, diameter: f64) -> bool {
        match self {
            Scale::AtMost(scale) => diameter <= scale,
            Scale::Below(scale) => diameter < scale,
        }
    }
}

impl Filtration {
    /// The simplices up to dimension `top` and diameter `threshold` on the points of a metric; `names[i]` is the
    /// vertex of point i.
    pub(crate) fn new(
        metric: &Metric,
        names: &[u32],
        top: usize,
        threshold: f64,
        modulus: u32,
    ) -> Filtration {
        let mut points: Vec<usize> = (0..metric.n).collect();
        points.sort_by_key(|&point| names[point]);
        let is_in = |diameter: f64| diameter <= threshold && diameter.is_finite();
        let mut layer: Vec<(Vec<usize>, f64)> = vec![(Vec::new(), 0.0)];
        let mut filtration =
            Filtration { modulus, dimensions: Vec::new(), places: HashMap::new(), boundaries: Vec::new() };
        for _ in 0..=top {
            // A simplex is extended by points that come after its own.
            layer = (layer.iter())
                .flat_map(|(simplex, diameter)| {
                    let last =
                        simplex.last().map_or(0, |last| 1 + points.iter().position(|p| p == last).unwrap());
                    points[last..].iter().map(move |&point| {
                        let longest =
                            simplex.iter().map(|&v| metric.get(v, point)).fold(metric.birth(point), f64::max);
                        ([&simplex[..], &[point]].concat(), diameter.max(longest) + 0.0)
                    })
                })
                .filter(|&(_, diameter)| is_in(diameter))
                .collect();
            layer.sort_by(|a, b| a.1.total_cmp(&b.1));
            filtration.push(
                layer.iter().map(|(simplex, diameter)| {
                    (simplex.iter().map(|&point| names[point]).collect(), *diameter)
                }),
            );
        }
        filtration
    }

    /// A complex of arbitrary cells over Z/2, given for each dimension from 0 up and sorted by value.
    pub(crate) fn of_cells(dimensions: Vec<Vec<NamedCell>>) -> Filtration {
        let (layers, places) = (Vec::new(), HashMap::new());
        let mut filtration = Filtration { modulus: 2, dimensions: layers, places, boundaries: Vec::new() };
        for cells in dimensions {
            filtration.push_cells(cells.into_iter().map(|NamedCell { name, value, facets }| {
                (name, value, facets.into_iter().map(|facet| (facet, 1)).collect())
            }));
        }
        filtration
    }

    /// Adds the simplices of the next dimension, sorted by diameter.
    fn push(&mut self, simplices: impl Iterator<Item = (Vec<u32>, f64)>) {
        let (dim, modulus) = (self.dimensions.len(), self.modulus);
        self.push_cells(simplices.map(|(vertices, diameter)| {
            let facet = |k: usize| {
                let facet = [&vertices[..k], &vertices[k + 1..]].concat();
                (facet, if k.is_multiple_of(2) { 1 } else { modulus - 1 })
            };
            let facets = if dim == 0 { Vec::new() } else { (0..=dim).map(facet).collect() };
            (vertices, diameter, facets)
        }));
    }

    /// Adds the cells of the next dimension, sorted by value, with their facets and coefficients.
    fn push_cells(&mut self, cells: impl Iterator<Item = (Vec<u32>, f64, Vec<(Vec<u32>, u32)>)>) {
        let (dim, modulus) = (self.dimensions.len(), self.modulus);
        let mut layer = Vec::new();
        for (place, (vertices, diameter, facets)) in cells.enumerate() {
            let facets =
                facets.iter().map(|(facet, coefficient)| (self.places[facet], *coefficient)).collect();
            self.places.insert(vertices.clone(), place);
            layer.push(Simplex { vertices, diameter, facets });
        }
        if dim > 0 {
            let (mut span, mut diameters) = (Span::new(modulus, []), Vec::new());
            for simplex in &layer {
                if span.add(self.boundary_of(dim, simplex)) {
                    diameters.push(simplex.diameter);
                }
            }
            self.boundaries.push((span, diameters));
        }
        self.dimensions.push(layer);
    }

    fn boundary_of(&self, dim: usize, simplex: &Simplex) -> Vector {
        let mut boundary = vec![0; self.dimensions[dim - 1].len()];
        simplex.facets.iter().for_each(|&(facet, coefficient)| boundary[facet] = coefficient);
        boundary
    }

    /// The place of a simplex among those of its dimension.
    pub(crate) fn place(&self, vertices: &[u32]) -> usize {
        *self.places.get(vertices).unwrap_or_else(|| panic!("{vertices:?} is no simplex of the filtration"))
    }

    /// The number of simplices of a dimension.
    pub(crate) fn count(&self, dim: usize) -> usize {
        self.dimensions[dim].len()
    }

    /// The diameter of a simplex, given its dimension and place.
    pub(crate) fn diameter(&self, dim: usize, place: usize) -> f64 {
        self.dimensions[dim][place].diameter
    }

    /// The vector of a chain. Panics if a term is not possible over Z/p on these simplices, or if a simplex occurs
    /// twice.
    pub(crate) fn vector(&self, chain: &Chain) -> Vector {
        let mut vector = vec![0; self.dimensions[chain.dimension()].len()];
        for (simplex, coefficient) in chain.iter() {
            let entry = &mut vector[self.place(simplex)];
            assert!(*entry == 0, "{simplex:?} occurs twice in {chain:?}");
            assert!((1..self.modulus).contains(&coefficient.into()), "{coefficient} in {chain:?}");
            *entry = coefficient.into();
        }
        vector
    }

    /// A copy of a vector with zeros for simplices whose diameter is not kept.
    pub(crate) fn restricted(&self, dim: usize, vector: &[u32], keep: impl Fn(f64) -> bool) -> Vector {
        let simplices = self.dimensions[dim].iter();
        vector.iter().zip(simplices).map(|(&entry, s)| if keep(s.diameter) { entry } else { 0 }).collect()
    }

    /// The boundary of a chain of dimension 1 or more.
    pub(crate) fn boundary(&self, dim: usize, chain: &[u32]) -> Vector {
        let mut boundary = vec![0; self.dimensions[dim - 1].len()];
        for (simplex, entry) in self.dimensions[dim].iter().zip(chain) {
            for &(facet, coefficient) in &simplex.facets {
                boundary[facet] = (boundary[facet] + entry * coefficient) % self.modulus;
            }
        }
        boundary
    }

    /// The simplices of the subcomplex at a scale on which the coboundary of a cochain is not zero.
    pub(crate) fn coboundary(&self, dim: usize, cochain: &[u32], scale: Scale) -> Vec<&[u32]> {
        let cofaces = self.dimensions[dim + 1].iter().filter(|simplex| scale.admits(simplex.diameter));
        let value = |simplex: &Simplex| {
            simplex.facets.iter().fold(0, |sum, &(facet, c)| (sum + cochain[facet] * c) % self.modulus)
        };
        cofaces.filter(|simplex| value(simplex) != 0).map(|simplex| &simplex.vertices[..]).collect()
    }

    /// The boundaries of a dimension in the subcomplex at a scale.
    pub(crate) fn boundaries(&self, dim: usize, scale: Scale) -> Span {
        let (span, diameters) = &self.boundaries[dim];
        span.of_first(diameters.iter().filter(|&&diameter| scale.admits(diameter)).count())
    }

    /// The restrictions of all boundaries at scale `diameter` to the simplices of exactly this diameter.
    pub(crate) fn boundaries_on(&self, dim: usize, diameter: f64) -> Span {
        let cofaces = self.dimensions[dim + 1].iter().filter(|simplex| simplex.diameter <= diameter);
        let boundary = |simplex| {
            let boundary = self.boundary_of(dim + 1, simplex);
            self.restricted(dim, &boundary, |other| other == diameter)
        };
        Span::new(self.modulus, cofaces.map(boundary))
    }

    /// The coboundaries of dimension 1 or more in the subcomplex at a scale.
    pub(crate) fn coboundaries(&self, dim: usize, scale: Scale) -> Span {
        let simplices = &self.dimensions[dim];
        let facets = self.dimensions[dim - 1].iter().filter(|facet| scale.admits(facet.diameter)).count();
        // Admitted simplices come first.
        let mut coboundaries = vec![vec![0; simplices.len()]; facets];
        for (place, simplex) in simplices.iter().enumerate().filter(|(_, s)| scale.admits(s.diameter)) {
            simplex.facets.iter().for_each(|&(facet, c)| coboundaries[facet][place] = c);
        }
        Span::new(self.modulus, coboundaries)
    }

    /// The Betti number of a dimension of the subcomplex at a scale.
    pub(crate) fn betti(&self, dim: usize, scale: Scale) -> usize {
        let simplices = self.dimensions[dim].iter().filter(|simplex| scale.admits(simplex.diameter)).count();
        let cycles = simplices - if dim == 0 { 0 } else { self.boundaries(dim - 1, scale).rank() };
        cycles - self.boundaries(dim, scale).rank()
    }
}
