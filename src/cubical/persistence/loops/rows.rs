//! Numbering of critical edges by place.

/// The number of the first critical edge of each place: stored for every 32nd place, with offsets for those in between.
pub(super) struct Rows {
    of_block: Vec<u32>,
    in_block: Vec<u8>,
    count: usize,
}

/// Number of places in a block. Each owns at most seven critical edges, so offsets fit 8 bits.
const BLOCK: usize = 32;

impl Rows {
    /// Numbers the critical edges of all places; `critical_edges` returns their number at a place.
    pub(super) fn new(critical_edges: impl Fn(usize) -> u32, places: usize) -> Self {
        let (mut of_block, mut in_block) =
            (Vec::with_capacity(places / BLOCK + 1), Vec::with_capacity(places));
        let mut count = 0;
        for start in (0..places).step_by(BLOCK) {
            let mut here = 0;
            for place in start..places.min(start + BLOCK) {
                in_block.push(here);
                here += critical_edges(place) as u8;
            }
            of_block.push(count);
            count += u32::from(here);
        }
        Rows { of_block, in_block, count: count as usize }
    }

    /// Number of critical edges.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The number of the first critical edge of a place.
    #[inline(always)]
    pub(super) fn first(&self, place: usize) -> usize {
        (self.of_block[place / BLOCK] + u32::from(self.in_block[place])) as usize
    }
}
