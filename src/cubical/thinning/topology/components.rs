//! The components of a binary image and the topology of each, computed from runs of voxels.
//!
//! A *run* is a maximal sequence of foreground voxels along the fastest axis. Union-find joins runs instead of voxels:
//! foreground runs that touch, corners included, and background runs that share a face. A background component that
//! does not reach the border of the image is a *cavity* in space or a *hole* in the plane. It belongs to the foreground
//! component that surrounds it, which contains all neighbours of its first voxel that precede that voxel.
//!
//! **Euler characteristic.** Along each axis a cell of the union of closed cubes either spans a voxel or lies between
//! two. In a row of cells of one kind, the cells present are those beside the union of the runs in the adjacent rows of
//! voxels: a stretch of n columns of this union has n cells that span a voxel along the row and n + 1 that do not. Each
//! stretch therefore contributes 1, up to the sign given by the axes across the row that its cells span. All runs of a
//! stretch touch, so it belongs to one component.

use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::cubical::thinning::bits::{BitImage, WORD};
use crate::memory::{self, Refused};
use crate::parallel;

/// Number of rows of cells per parallel task.
const ROWS: usize = 1 << 10;

/// A component of the foreground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Component {
    /// The first voxel, as a place in C order.
    pub(super) place: usize,
    /// The number of voxels.
    pub(super) voxels: usize,
    /// The Euler characteristic.
    pub(super) euler: i64,
    /// The number of cavities, or of holes in the plane.
    pub(super) cavities: usize,
}

/// The components of an image, and the component of each voxel.
pub(super) struct Components {
    runs: Runs,
    /// The index of the component of each run.
    labels: Vec<u32>,
    /// The components, by place.
    pub(super) all: Vec<Component>,
}

impl Components {
    /// Finds the components of an image of fewer than 2^32 voxels.
    ///
    /// # Errors
    /// [`Refused`]: there is no memory for the runs.
    pub(super) fn of(image: &BitImage) -> Result<Components, Refused> {
        let (foreground, cavities) =
            parallel::join(|| labelled(Runs::of(image)?), || cavities(Runs::of(&image.clone().inverted())?));
        let ((runs, labels, count), cavities) = (foreground?, cavities?);
        let mut all = Vec::new();
        memory::reserve(&mut all, count)?;
        for row in 0..runs.rows.len() - 1 {
            for run in runs.of_row(row) {
                let [start, end] = runs.spans[run];
                if labels[run] as usize == all.len() {
                    let place = row * runs.columns + start as usize;
                    all.push(Component { place, voxels: 0, euler: 0, cavities: 0 });
                }
                all[labels[run] as usize].voxels += (end - start) as usize;
            }
        }
        let mut found = Components { runs, labels, all };
        for place in cavities {
            // The voxel before the first of a cavity is foreground.
            let around = found.number(place - 1);
            found.all[around].cavities += 1;
        }
        found.count_cells()?;
        Ok(found)
    }

    /// The index of the component of the foreground voxel at a place.
    pub(super) fn number(&self, place: usize) -> usize {
        let (row, column) = (place / self.runs.columns, (place % self.runs.columns) as u32);
        let of_row = self.runs.of_row(row);
        let before = self.runs.spans[of_row.clone()].partition_point(|&[_, end]| end <= column);
        self.labels[of_row.start + before] as usize
    }

    /// Computes the Euler characteristic of each component by a parallel pass over rows of cells.
    fn count_cells(&mut self) -> Result<(), Refused> {
        let [planes, rows, _] = self.runs.extents;
        let (runs, labels) = (&self.runs, &self.labels);
        let mut eulers = Vec::new();
        memory::reserve(&mut eulers, self.all.len())?;
        eulers.resize_with(self.all.len(), AtomicI64::default);
        parallel::ranges((planes + 1) * (rows + 1), ROWS, &|range| {
            // Successive stretches mostly lie in one component, so atomic additions are batched.
            let (mut last, mut sum) = (0, 0);
            for at in range {
                runs.stretches(at / (rows + 1), at % (rows + 1), &mut |run, sign| {
                    let label = labels[run] as usize;
                    if label != last {
                        eulers[last].fetch_add(sum, Ordering::Relaxed);
                        (last, sum) = (label, 0);
                    }
                    sum += sign;
                });
            }
            if let Some(euler) = eulers.get(last) {
                euler.fetch_add(sum, Ordering::Relaxed);
            }
        });
        self.all.iter_mut().zip(eulers).for_each(|(component, euler)| component.euler = euler.into_inner());
        Ok(())
    }
}

/// The runs of an image.
struct Runs {
    extents: [usize; 3],
    /// Number of voxels per row.
    columns: usize,
    /// For each run, row after row, its first column and the column after its last.
    spans: Vec<[u32; 2]>,
    /// The first run of each row, followed by the number of runs.
    rows: Vec<u32>,
}

impl Runs {
    fn of(image: &BitImage) -> Result<Runs, Refused> {
        let extents = image.shape().extents();
        let [planes, rows, columns] = extents;
        let words = || image.words().chunks_exact(image.width());
        let mut first = memory::zeroed::<u32>(planes * rows + 1)?;
        let mut count = 0;
        for (row, first) in words().zip(&mut first[1..]) {
            let mut before = 0;
            for &word in row {
                count += (word & !(word << 1 | before)).count_ones();
                before = word >> (WORD - 1);
            }
            *first = count;
        }
        let mut spans: Vec<[u32; 2]> = Vec::new();
        memory::reserve(&mut spans, count as usize)?;
        for row in words() {
            let (mut before, mut is_open) = (0, false);
            for (k, &word) in row.iter().enumerate() {
                // Bits of the voxels that differ from their predecessor.
                let mut changes = word ^ (word << 1 | before);
                before = word >> (WORD - 1);
                while changes != 0 {
                    let column = (k * WORD) as u32 + changes.trailing_zeros();
                    match spans.last_mut().filter(|_| is_open) {
                        Some(span) => span[1] = column,
                        // A run extends to the end of its row unless a later change ends it.
                        None => spans.push([column, columns as u32]),
                    }
                    is_open = !is_open;
                    changes &= changes - 1;
                }
            }
        }
        Ok(Runs { extents, columns, spans, rows: first })
    }

    fn of_row(&self, row: usize) -> Range<usize> {
        self.rows[row] as usize..self.rows[row + 1] as usize
    }

    /// Calls `found` with the first run and the sign of each stretch of cells in the cell row before row `y` and plane
    /// `z`, for the cells that span neither, the plane `z`, the row `y`, or both.
    fn stretches(&self, z: usize, y: usize, found: &mut impl FnMut(usize, i64)) {
        let [planes, rows, _] = self.extents;
        for (thick_z, thick_y) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut left = [const { 0..0 }; 4];
            for (k, left) in left.iter_mut().enumerate() {
                let (back_z, back_y) = (k & 1, k >> 1);
                let is_around = !(back_z == 1 && thick_z || back_y == 1 && thick_y);
                // An index before the first plane or row wraps and finds no row.
                let (z, y) = (z.wrapping_sub(back_z), y.wrapping_sub(back_y));
                if is_around && z < planes && y < rows {
                    *left = self.of_row(z * rows + y);
                }
            }
            let sign = if thick_z == thick_y { 1 } else { -1 };
            let mut end = None;
            // The remaining run that begins first.
            while let Some(next) = left
                .iter_mut()
                .filter(|runs| runs.start < runs.end)
                .min_by_key(|runs| self.spans[runs.start][0])
            {
                let [start, its_end] = self.spans[next.start];
                if end.is_none_or(|end| start > end) {
                    found(next.start, sign);
                }
                end = end.max(Some(its_end));
                next.start += 1;
            }
        }
    }
}

/// The union-find forest of runs that touch.
struct Joined {
    runs: Runs,
    /// The parent of each run: an earlier run of its component, or the run itself if it is the root.
    parents: Vec<u32>,
}

impl Joined {
    /// Joins runs of neighbouring rows that share a column or, if `by_corners`, are diagonally adjacent.
    fn of(runs: Runs, by_corners: bool) -> Result<Joined, Refused> {
        let [planes, rows, _] = runs.extents;
        let mut parents = Vec::new();
        memory::reserve(&mut parents, runs.spans.len())?;
        parents.extend(0..runs.spans.len() as u32);
        let mut joined = Joined { runs, parents };
        for z in 0..planes {
            for y in 0..rows {
                let row = z * rows + y;
                if y > 0 {
                    joined.join_rows(row, row - 1, by_corners);
                }
                if z > 0 {
                    joined.join_rows(row, row - rows, by_corners);
                }
                if z > 0 && y > 0 && by_corners {
                    joined.join_rows(row, row - rows - 1, by_corners);
                }
                if z > 0 && y + 1 < rows && by_corners {
                    joined.join_rows(row, row - rows + 1, by_corners);
                }
            }
        }
        Ok(joined)
    }

    fn join_rows(&mut self, row: usize, before: usize, by_corners: bool) {
        let reach = u32::from(by_corners);
        let others = self.runs.of_row(before);
        let mut first = others.start;
        for run in self.runs.of_row(row) {
            let [start, end] = self.runs.spans[run];
            while first < others.end && self.runs.spans[first][1] + reach <= start {
                first += 1;
            }
            let mut other = first;
            while other < others.end && self.runs.spans[other][0] < end + reach {
                self.join(run, other);
                other += 1;
            }
        }
    }

    /// Joins two components. The root of a component is its first run.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b) as u32;
    }

    fn root(&mut self, mut run: usize) -> usize {
        let parents = &mut self.parents;
        while parents[run] as usize != run {
            parents[run] = parents[parents[run] as usize];
            run = parents[run] as usize;
        }
        run
    }
}

/// The foreground runs, the component index of each, and the number of components.
fn labelled(runs: Runs) -> Result<(Runs, Vec<u32>, usize), Refused> {
    let Joined { runs, mut parents } = Joined::of(runs, true)?;
    let mut count = 0;
    for run in 0..parents.len() {
        // The parent comes earlier, so it already holds its component index.
        if parents[run] as usize == run {
            parents[run] = count;
            count += 1;
        } else {
            parents[run] = parents[parents[run] as usize];
        }
    }
    Ok((runs, parents, count as usize))
}

/// The first place of each background component that does not reach the border of the image, from the background runs.
fn cavities(runs: Runs) -> Result<Vec<usize>, Refused> {
    let mut joined = Joined::of(runs, false)?;
    let [planes, rows, columns] = joined.runs.extents;
    let mut is_open = memory::zeroed::<u8>(joined.parents.len())?;
    for row in 0..planes * rows {
        let (z, y) = (row / rows, row % rows);
        let at_border = y == 0 || y + 1 == rows || planes > 1 && (z == 0 || z + 1 == planes);
        for run in joined.runs.of_row(row) {
            let [start, end] = joined.runs.spans[run];
            if at_border || start == 0 || end as usize == columns {
                is_open[joined.root(run)] = 1;
            }
        }
    }
    let mut places = Vec::new();
    for row in 0..planes * rows {
        for run in joined.runs.of_row(row) {
            if joined.parents[run] as usize == run && is_open[run] == 0 {
                memory::push(&mut places, row * columns + joined.runs.spans[run][0] as usize)?;
            }
        }
    }
    Ok(places)
}
