//! Annotations: solve blocks in which few classes live at a time.
//!
//! An *annotation* of a cell of dimension d − 1 is a vector over Z/2, with one coordinate per living class of that
//! dimension, such that the sum of the annotations of a cycle's cells is the class of the cycle (Boissonnat, Dey,
//! Maria 2013). Annotations are maintained while cells enter in filtration order:
//!
//! - a cell σ of dimension d − 1 that creates a class gets a coordinate of its own; one that destroys a class gets
//!   zero;
//! - the boundary of a cell τ of dimension d has the class v = the sum of its facets' annotations. If v = 0, τ
//!   destroys nothing. Otherwise τ destroys the youngest class in v, and v is added to every annotation that has it.
//!
//! Three observations make this cheap where columns are many and classes few, as in Rips filtrations:
//! - a creator σ that the scan paired with τ needs no coordinate: τ is the first cell with facet σ, so nothing reads
//!   σ's annotation before τ comes and sets it, to the sum of the annotations of τ's other facets;
//! - while only classes of such σ live, every annotation is zero, and all cells up to the next creator can be skipped
//!   unread;
//! - 64 coordinates, one word per cell, suffice in such inputs. When a 65th is needed, the block is left to the
//!   reduction.
//!
//! No column is stored or added: a block takes a word per cell and one pass over the entries of the columns that
//! enter while a class lives.

use phat_formats::{BoundaryMatrix, Dimension};

use crate::matrix::index::SharedIndex;
use crate::matrix::mates::Mates;
use crate::progress::{Progress, check};

/// Statistics of a block.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// Number of columns whose entries were read.
    pub(super) columns: usize,
    /// Number of pairs found.
    pub(super) pairs: usize,
}

/// Number of columns between checks whether the run is to end.
const COLUMNS: usize = 1 << 12;

/// Pairs block `dim`, given the open cells of the dimension below, all of which must be creators. Returns `None` when
/// more than 64 of their classes live at once; `mates` is then unchanged.
pub(super) fn pair<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    dim: Dimension,
    creators: &[I],
    mates: &Mates<I>,
    progress: &dyn Progress,
) -> Option<Counts> {
    if creators.is_empty() {
        return Some(Counts::default());
    }
    let mut annotations = Annotations::new(matrix.len());
    let mut pairs = Vec::new();
    let mut counts = Counts::default();
    let mut coming = creators.iter().map(|cell| cell.to_usize()).peekable();
    let mut cell = 0;
    while let Some(cell_of_dim) = next(matrix, dim, &mut cell, &mut coming, &mut annotations)? {
        if counts.columns.is_multiple_of(COLUMNS) {
            check(progress);
        }
        let column = matrix.column(cell_of_dim);
        let Some((low, facets)) = column.split_last() else { continue };
        match mates.get(cell_of_dim) {
            // The cell creates a class, so its boundary is a sum of earlier boundaries and its annotation sum is
            // zero.
            Some(mate) if mate > cell_of_dim => continue,
            Some(mate) => {
                debug_assert_eq!(mate, low.to_usize());
                annotations.set(mate, annotations.sum(facets));
            }
            None => {
                if let Some(creator) = annotations.destroy(annotations.sum(column)) {
                    pairs.push((creator, cell_of_dim));
                }
            }
        }
        counts.columns += 1;
    }
    for &(creator, destroyer) in &pairs {
        mates.pair(creator, destroyer);
    }
    counts.pairs = pairs.len();
    Some(counts)
}

/// Returns the next cell of dimension `dim` that enters while a class lives; creators before it get their
/// coordinates. The outer `None` says that there are more than 64 living classes.
fn next<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    dim: Dimension,
    cell: &mut usize,
    coming: &mut std::iter::Peekable<impl Iterator<Item = usize>>,
    annotations: &mut Annotations,
) -> Option<Option<usize>> {
    loop {
        if annotations.none_lives() {
            match coming.peek() {
                Some(&creator) => *cell = creator,
                None => return Some(None),
            }
        }
        if *cell == matrix.len() {
            return Some(None);
        }
        let this = *cell;
        *cell += 1;
        if coming.next_if_eq(&this).is_some() {
            annotations.create(this)?;
        } else if matrix.dim(this) == dim {
            return Some(Some(this));
        }
    }
}

/// An annotation: one bit per living class.
type Word = u64;

struct Annotations {
    /// The annotation of each cell, initially zero.
    words: Vec<Word>,
    /// The bits of the living classes.
    living: Word,
    /// The creator of each living class.
    creators: [usize; Word::BITS as usize],
    /// For each living class, the cells whose annotation has it, and some whose annotation had it earlier.
    members: [Vec<usize>; Word::BITS as usize],
}

impl Annotations {
    fn new(cells: usize) -> Self {
        Annotations {
            words: vec![0; cells],
            living: 0,
            creators: [0; Word::BITS as usize],
            members: std::array::from_fn(|_| Vec::new()),
        }
    }

    fn none_lives(&self) -> bool {
        self.living == 0
    }

    /// Gives `cell` a class of its own. Returns `None` if there are 64 already.
    fn create(&mut self, cell: usize) -> Option<()> {
        let class = self.living.trailing_ones();
        let bit = 1u64.checked_shl(class)?;
        self.living |= bit;
        self.creators[class as usize] = cell;
        self.set(cell, bit);
        Some(())
    }

    #[inline]
    fn sum<I: SharedIndex>(&self, cells: &[I]) -> Word {
        let mut sum = 0;
        for cell in cells {
            sum ^= self.words[cell.to_usize()];
        }
        sum
    }

    /// Sets the annotation of a cell whose annotation is zero.
    #[inline]
    fn set(&mut self, cell: usize, word: Word) {
        if word != 0 {
            self.words[cell] = word;
            self.enroll(cell, word);
        }
    }

    fn enroll(&mut self, cell: usize, word: Word) {
        for class in ones(word) {
            self.members[class].push(cell);
        }
    }

    /// Destroys the youngest class in `boundary` and returns its creator, or `None` if the boundary is zero.
    fn destroy(&mut self, boundary: Word) -> Option<usize> {
        let class = ones(boundary).max_by_key(|&class| self.creators[class])?;
        for cell in std::mem::take(&mut self.members[class]) {
            // A cell may be listed twice; only the first visit finds the class in its annotation.
            let word = self.words[cell];
            if word >> class & 1 == 1 {
                self.words[cell] = word ^ boundary;
                self.enroll(cell, boundary & !word);
            }
        }
        self.living &= !(1 << class);
        Some(self.creators[class])
    }
}

/// Iterates over the positions of the ones of a word.
fn ones(mut word: Word) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(place)
    })
}
