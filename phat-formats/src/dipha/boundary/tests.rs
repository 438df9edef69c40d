//! Tests of both flavours, reading and writing.

use super::*;
use crate::dipha::MAGIC;
use crate::error::{binary, check_cuts};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The fields of a file.
#[derive(Clone)]
struct Fields {
    flavour: i64,
    max_dim: i64,
    dims: Vec<i64>,
    values: Vec<f64>,
    lists: Vec<Vec<i64>>,
}

impl Fields {
    fn words(&self) -> Vec<i64> {
        let n = self.dims.len() as i64;
        let mut words = vec![MAGIC, 0, self.flavour, n, self.max_dim];
        words.extend(&self.dims);
        words.extend(self.values.iter().map(|value| value.to_bits() as i64));
        let mut start = 0;
        for list in &self.lists {
            words.push(start);
            start += list.len() as i64;
        }
        words.push(start);
        words.extend(self.lists.iter().flatten());
        words
    }

    fn file(&self) -> Vec<u8> {
        binary(&self.words())
    }

    /// A plain reader: the filtered complex, built cell by cell.
    fn plain(&self) -> WeightedBoundaryMatrix<u32> {
        let n = self.dims.len();
        let mut order: Vec<usize> = (0..n).collect();
        let key = |cell: usize| (self.values[cell], self.dims[cell], cell);
        order.sort_by(|&a, &b| key(a).partial_cmp(&key(b)).unwrap());
        let place = |cell: usize| order.iter().position(|&other| other == cell).unwrap();
        let mut matrix = BoundaryMatrix::new();
        for &cell in &order {
            let is_face = |other: usize| match self.flavour {
                0 => self.lists[cell].contains(&(other as i64)),
                _ => self.lists[other].contains(&(cell as i64)),
            };
            let mut rows: Vec<usize> = (0..n).filter(|&other| is_face(other)).map(place).collect();
            rows.sort_unstable();
            matrix.push(self.dims[cell] as u8, &rows).unwrap();
        }
        let values = order.iter().map(|&cell| self.values[cell]).collect();
        WeightedBoundaryMatrix { matrix, values, max_dim: self.max_dim as u8 }
    }

    /// This complex with cells and lists in another order.
    fn shuffled(&self, random: &mut Pcg64) -> Fields {
        let n = self.dims.len();
        let mut from: Vec<usize> = (0..n).collect();
        from.shuffle(random);
        let to = |cell: i64| from.iter().position(|&old| old as i64 == cell).unwrap() as i64;
        let mut lists: Vec<Vec<i64>> =
            from.iter().map(|&old| self.lists[old].iter().map(|&entry| to(entry)).collect()).collect();
        lists.iter_mut().for_each(|list| list.shuffle(random));
        Fields {
            dims: from.iter().map(|&old| self.dims[old]).collect(),
            values: from.iter().map(|&old| self.values[old]).collect(),
            lists,
            ..*self
        }
    }

    /// This complex in the other flavour.
    fn dual(&self) -> Fields {
        let n = self.dims.len();
        let has = |list: usize, entry: usize| self.lists[list].contains(&(entry as i64));
        let list = |cell: usize| (0..n).filter(|&other| has(other, cell)).map(|other| other as i64).collect();
        Fields { flavour: 1 - self.flavour, lists: (0..n).map(list).collect(), ..self.clone() }
    }
}

/// The triangle on three vertices, filled.
fn triangle() -> Fields {
    Fields {
        flavour: 0,
        max_dim: 2,
        dims: vec![0, 0, 0, 1, 1, 1, 2],
        values: vec![0.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.0],
        lists: vec![vec![], vec![], vec![], vec![0, 1], vec![0, 2], vec![1, 2], vec![3, 4, 5]],
    }
}

/// Random cells with faces of the dimension below; values with many ties.
fn random(random: &mut Pcg64, cells: usize) -> Fields {
    let mut fields = Fields { flavour: 0, max_dim: 3, dims: vec![], values: vec![], lists: vec![] };
    for _ in 0..cells {
        let dim = random.random_range(0..4);
        let below = fields.dims.iter().enumerate().filter(|&(_, &other)| other + 1 == dim);
        let list: Vec<i64> =
            below.map(|(cell, _)| cell as i64).filter(|_| random.random_ratio(1, 3)).collect();
        let least = list.iter().map(|&face| fields.values[face as usize]).fold(-0.0, f64::max);
        fields.values.push(least + f64::from(random.random_range(0..3)));
        fields.dims.push(dim);
        fields.lists.push(list);
    }
    fields
}

fn error(file: &[u8]) -> String {
    read_boundary_matrix::<u32>(file).unwrap_err().to_string()
}

#[test]
fn cells_and_entries_in_any_order_of_either_flavour() {
    let mut rng = Pcg64::seed_from_u64(1);
    for cells in [0, 1, 2, 5, 20, 60] {
        for _ in 0..10 {
            let fields = random(&mut rng, cells);
            for fields in [fields.clone(), fields.shuffled(&mut rng)] {
                let complex = fields.plain();
                assert_eq!(read_boundary_matrix(&fields.file()).unwrap(), complex);
                assert_eq!(read_boundary_matrix(&fields.dual().file()).unwrap(), complex);
                assert_eq!(fields.dual().plain(), complex);
            }
        }
    }
}

#[test]
fn what_is_written_reads_back() {
    let mut rng = Pcg64::seed_from_u64(2);
    for cells in [0, 1, 30, 80] {
        let complex = random(&mut rng, cells).plain();
        for flavour in [Flavour::Boundary, Flavour::Coboundary] {
            let mut file = Vec::new();
            write_boundary_matrix(&mut file, &complex, flavour).unwrap();
            assert_eq!(read_boundary_matrix(&file).unwrap(), complex, "{flavour:?}");
            let size = boundary_matrix_size(&file).unwrap();
            assert_eq!((size.columns, size.entries), (cells, complex.matrix.entries()));
        }
    }
    let mut file = Vec::new();
    write_boundary_matrix(&mut file, &triangle().plain(), Flavour::Boundary).unwrap();
    assert_eq!(file, triangle().file());
    file.clear();
    write_boundary_matrix(&mut file, &triangle().plain(), Flavour::Coboundary).unwrap();
    assert_eq!(file, triangle().dual().file());
}

/// More entries than a block has words, in one list and in many lists.
#[test]
fn many_blocks() {
    let n = 40_000i64;
    let mut fields = Fields {
        flavour: 0,
        max_dim: 1,
        dims: vec![0; n as usize],
        values: vec![0.0; n as usize],
        lists: vec![vec![]; n as usize],
    };
    for list in std::iter::once((0..n).collect()).chain((0..n).map(|k| vec![k, (k + 7) % n])) {
        fields.dims.push(1);
        fields.values.push(1.0);
        fields.lists.push(list);
    }
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let read = |fields: &Fields| pool.install(|| read_boundary_matrix::<u32>(&fields.file()));
        let complex = read(&fields).unwrap();
        assert_eq!(complex.matrix.column(n as usize).len(), n as usize);
        assert_eq!(complex.matrix.column(2 * n as usize), [6, n as u32 - 1]);
        let mut wrong = fields.clone();
        for cell in [n + 3, n + 30_000, 2 * n] {
            wrong.lists[cell as usize][1] = 5 * n;
        }
        let offset = 8 * (5 + 3 * (2 * n + 1) + 1 + n + 2 * 2 + 1);
        assert_eq!(
            read(&wrong).unwrap_err().to_string(),
            format!("byte {offset}: expected a cell below 80001, found 200000")
        );
    }
}

#[test]
fn every_cut_and_every_tail_is_an_error() {
    let file = triangle().file();
    check_cuts(&file, &|bytes| read_boundary_matrix::<u32>(bytes).map(drop));
}

/// Replaces one word of the triangle's file. Its words: 5 of header, 7 dimensions, 7 values, 7 offsets, the number 9,
/// 9 entries.
#[test]
fn wrong_words() {
    let offsets = 5 + 14;
    let entries = 5 + 21 + 1;
    for (at, word, message) in [
        (0, 7, "byte 0: expected DIPHA's magic number 8067171840, found 7"),
        (1, 5, "byte 8: expected a DIPHA file type (0, 1, 2, 7 or 8), found 5"),
        (
            1,
            2,
            "byte 8: expected DIPHA file type 0 (weighted boundary matrix), found 2 (persistence diagram)",
        ),
        (2, 2, "byte 16: expected 0 for boundaries or 1 for coboundaries, found 2"),
        (3, -1, "byte 24: expected a number of cells, found -1"),
        (
            3,
            i64::MAX,
            "byte 288: expected more bytes of cells and the number of entries from byte 40 on than any file has, \
             found the end of the file",
        ),
        (4, -1, "byte 32: expected a dimension of the complex from 0 to 255, found -1"),
        (4, 256, "byte 32: expected a dimension of the complex from 0 to 255, found 256"),
        (4, 1, "byte 88: expected a dimension from 0 to that of the complex, found 2"),
        (5, -1, "byte 40: expected a dimension from 0 to that of the complex, found -1"),
        (5, 300, "byte 40: expected a dimension from 0 to that of the complex, found 300"),
        (12, f64::NAN.to_bits() as i64, "byte 96: expected a value, found NaN"),
        (offsets, 1, "byte 152: expected an entry offset from 0 to 0, found 1"),
        (offsets + 1, -1, "byte 160: expected an entry offset from 0 to 9, found -1"),
        (offsets + 1, 10, "byte 160: expected an entry offset from 0 to 9, found 10"),
        (offsets + 5, 1, "byte 192: expected an entry offset from 2 to 9, found 1"),
        (entries - 1, -1, "byte 208: expected a number of entries, found -1"),
        (entries - 1, 8, "byte 280: expected the end of the file, found 8 more bytes"),
        (
            entries - 1,
            10,
            "byte 288: expected 80 bytes of entries from byte 216 on, found the end of the file",
        ),
        (entries, -1, "byte 216: expected a cell below 7, found -1"),
        (entries, 7, "byte 216: expected a cell below 7, found 7"),
        (entries + 1, 0, "byte 224: expected an entry that cell 3 does not have yet, found cell 0 again"),
        (
            entries + 1,
            3,
            "byte 224: expected a boundary cell one dimension below 1, that of cell 3, found cell 3 of dimension 1",
        ),
        (
            12 + 1,
            1.25f64.to_bits() as i64,
            "byte 224: expected a boundary cell whose value is not above 1, that of cell 3, \
             found cell 1 with the value 1.25",
        ),
    ] {
        let mut words = triangle().words();
        words[at] = word;
        assert_eq!(error(&binary(&words)), message);
    }
}

#[test]
fn wrong_coboundaries() {
    let mut dual = triangle().dual();
    dual.lists[0] = vec![3, 6];
    assert_eq!(
        error(&dual.file()),
        "byte 224: expected a coboundary cell one dimension above 0, that of cell 0, found cell 6 of dimension 2"
    );
    dual = triangle().dual();
    dual.values[4] = -1.0;
    assert_eq!(
        error(&dual.file()),
        "byte 224: expected a coboundary cell whose value is not below 0, that of cell 0, \
         found cell 4 with the value -1"
    );
    dual = triangle().dual();
    dual.lists[0] = vec![4, 3, 4, 9];
    assert_eq!(
        error(&dual.file()),
        "byte 232: expected an entry that cell 0 does not have yet, found cell 4 again"
    );
    assert_eq!(
        error(&binary(&[MAGIC, 0, 0, 0, 0, 1, 0])),
        "byte 40: expected no entries without cells, found 1"
    );
}

#[test]
fn complexes_that_cannot_be_are_not_written() {
    let mut complex = triangle().plain();
    complex.max_dim = 1;
    let write = |complex: &WeightedBoundaryMatrix<u32>| {
        write_boundary_matrix(&mut Vec::new(), complex, Flavour::Boundary).unwrap_err().to_string()
    };
    assert_eq!(write(&complex), "expected cells of dimension 1 at most, found 2");
    complex.values.pop();
    assert_eq!(write(&complex), "expected 7 values, found 6");
}
