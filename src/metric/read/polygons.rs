//! The edges and faces of meshes, which some computations take beside the vertices.

use crate::input::{Place, Problem};
use crate::memory;

/// Lists of vertices: faces of three and more, edges of two, and points of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Polygons {
    corners: Vec<u32>,
    /// Where the corners of each polygon end.
    ends: Vec<usize>,
}

impl Polygons {
    /// The corners of each polygon.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> + Clone {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.corners[std::mem::replace(&mut start, end)..end])
    }

    /// The number of corners of all polygons.
    pub fn corners(&self) -> usize {
        self.corners.len()
    }

    /// Adds a polygon whose corners are among `vertices` vertices; the error is at `place`, which may take long to
    /// find.
    ///
    /// # Errors
    /// There is no corner, a vertex does not exist, one occurs twice, or memory is refused.
    pub(crate) fn push(
        &mut self,
        corners: &[u64],
        vertices: usize,
        place: &dyn Fn() -> Place,
    ) -> Result<(), Problem> {
        let problem = |expected: &str, found: String| Problem::new(place(), expected, found);
        if let Some(&corner) = corners.iter().find(|&&corner| corner >= vertices.min(1 << 32) as u64) {
            let expected = format!("a vertex among the {vertices} of the mesh");
            return Err(problem(&expected, format!("index {corner}, from 0")));
        }
        let mut sorted = corners.to_vec();
        sorted.sort_unstable();
        if sorted.is_empty() || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(problem("a face or edge of different vertices", format!("{corners:?}, from 0")));
        }
        let made = memory::make_room(&mut self.corners, corners.len());
        let made = made.and_then(|()| memory::make_room(&mut self.ends, 1));
        made.map_err(|refused| Problem::of_memory(place(), refused))?;
        // Vertices have been compared with 2^32.
        self.corners.extend(corners.iter().map(|&corner| corner as u32));
        self.ends.push(self.corners.len());
        Ok(())
    }
}
