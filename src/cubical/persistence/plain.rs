//! The oracle: all cells are listed, and their matrix is reduced by the standard column algorithm (Edelsbrunner,
//! Letscher, Zomorodian 2002).
//!
//! It shares only the types of requests and answers, and the order of voxels, with the other modules. It is for small
//! images, since the columns are reduced sequentially.

use std::cmp::Reverse;

use hashbrown::HashMap;

use super::classes::{Class, Classes};
use super::request::PersistenceRequest;
use crate::cubical::construction::Construction;
use crate::cubical::image::{Image, Voxel};
use crate::cubical::plain_cells::{Cell, PlainCells, dim};

/// The classes of an image.
pub fn persistence<T: Voxel>(image: &Image<T>, request: &PersistenceRequest) -> Classes {
    persistence_within(image, &|_| true, request)
}

/// The classes of the part of an image for whose voxels `is_inside`, given their places in memory.
pub(crate) fn persistence_within<T: Voxel>(
    image: &Image<T>,
    is_inside: &dyn Fn(usize) -> bool,
    request: &PersistenceRequest,
) -> Classes {
    let shape = image.shape();
    let key = |place: usize| (image.voxels()[place].ordered(request.superlevel), shape.c_place(place));
    let mut complex = PlainCells::new(shape.four_extents(), shape.dim(), request.construction);
    complex.is_periodic = request.periodic.in_memory(shape);
    let mut cells: Vec<(Cell, usize)> = complex
        .all()
        .filter_map(|cell| {
            let voxels = complex.voxels(cell).into_iter();
            let owner = match request.construction {
                Construction::T => voxels.filter(|&place| is_inside(place)).min_by_key(|&place| key(place)),
                Construction::V => voxels.max_by_key(|&place| (!is_inside(place), key(place))),
            };
            Some((cell, owner.filter(|&place| is_inside(place))?))
        })
        .collect();
    cells.sort_by_key(|&(cell, owner)| (key(owner), dim(&cell), cell));
    let number: HashMap<Cell, usize> = cells.iter().enumerate().map(|(i, &(cell, _))| (cell, i)).collect();

    let mut columns: Vec<Vec<usize>> = Vec::new();
    let mut column_of_low: HashMap<usize, usize> = HashMap::new();
    for (j, &(cell, _)) in cells.iter().enumerate() {
        let mut column: Vec<usize> = complex.facets(cell).map(|facet| number[&facet]).collect();
        column.sort_unstable();
        while let Some(&earlier) = column.last().and_then(|low| column_of_low.get(low)) {
            column = sum(&column, &columns[earlier]);
        }
        if let Some(&low) = column.last() {
            column_of_low.insert(low, j);
        }
        columns.push(column);
    }

    let mut dimensions = vec![Vec::new(); request.dimensions(shape)];
    for (i, &(cell, birth)) in cells.iter().enumerate().filter(|(i, _)| columns[*i].is_empty()) {
        let death = column_of_low.get(&i).map(|&j| cells[j].1);
        if let Some(classes) = dimensions.get_mut(dim(&cell))
            && death.is_none_or(|death| key(death).0 != key(birth).0)
        {
            classes.push(Class { birth, death });
        }
    }
    for classes in &mut dimensions {
        // `None` is less than any `Some`, so the outer `Reverse` puts essential classes last.
        let death = |class: &Class| Reverse(class.death.map(|death| Reverse(key(death))));
        classes.sort_by_key(|class| (key(class.birth), death(class)));
    }
    Classes { dimensions }
}

/// The sum of two ascending columns.
fn sum(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut rows: Vec<usize> = a.iter().filter(|row| b.binary_search(row).is_err()).copied().collect();
    rows.extend(b.iter().filter(|row| a.binary_search(row).is_err()));
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use super::super::super::{Order, Shape};
    use super::*;

    fn image(axes: &[usize], voxels: Vec<u8>) -> Image<u8> {
        Image::new(Shape::new(axes, Order::C).unwrap(), voxels).unwrap()
    }

    fn class(birth: usize, death: impl Into<Option<usize>>) -> Class {
        Class { birth, death: death.into() }
    }

    #[test]
    fn diagonal_neighbours_touch_in_one_construction_only() {
        let plane = image(&[2, 2], vec![0, 2, 3, 1]);
        let run = |construction| {
            persistence(&plane, &PersistenceRequest { construction, ..PersistenceRequest::default() })
        };
        assert_eq!(run(Construction::T).dimensions, [vec![class(0, None)], vec![]]);
        assert_eq!(run(Construction::V).dimensions, [vec![class(0, None), class(3, 1)], vec![]]);
    }

    #[test]
    fn a_ring_and_a_shell() {
        let mut voxels = vec![1; 9];
        voxels[4] = 5;
        let ring = image(&[3, 3], voxels);
        let request = PersistenceRequest { construction: Construction::V, ..PersistenceRequest::default() };
        assert_eq!(persistence(&ring, &request).dimensions, [vec![class(0, None)], vec![class(8, 4)]]);
        assert_eq!(persistence(&ring, &PersistenceRequest::default()).dimensions[1], [class(7, 4)]);
        let mut voxels = vec![1; 27];
        voxels[13] = 0;
        let shell = image(&[3, 3, 3], voxels);
        let request =
            PersistenceRequest { superlevel: true, max_dim: Some(7), ..PersistenceRequest::default() };
        assert_eq!(
            persistence(&shell, &request).dimensions,
            [vec![class(0, None)], vec![], vec![class(22, 13)]]
        );
        let request = PersistenceRequest { max_dim: Some(1), ..request };
        assert_eq!(persistence(&shell, &request).dimensions.len(), 2);
    }

    #[test]
    fn essential_classes_come_after_others_of_their_birth() {
        let line = image(&[5], vec![1, 9, 0, 9, 1]);
        let classes = persistence(&line, &PersistenceRequest::default());
        assert_eq!(classes.dimensions, [vec![class(2, None), class(0, 1), class(4, 3)]]);
    }
}
