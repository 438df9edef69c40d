//! Critical edges, numbered by place.

/// The numbers of the first critical edges of places: those of every 32nd, and how many there are from it to each place.
pub(super) struct Rows {
    of_block: Vec<u32>,
    in_block: Vec<u8>,
    count: usize,
}

/// Places of a block, each of which owns seven critical edges at most.
const BLOCK: usize = 32;

impl Rows {
    /// Numbers the critical edges of places, each of which owns as many as `critical_edges` says.
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

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The number of the first critical edge of a place.
    #[inline(always)]
    pub(super) fn first(&self, place: usize) -> usize {
        (self.of_block[place / BLOCK] + u32::from(self.in_block[place])) as usize
    }
}
