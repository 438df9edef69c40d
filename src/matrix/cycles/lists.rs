//! Many lists of indices in one vector.

use phat_formats::Index;

use crate::memory::{self, Refused};

/// Lists of indices, numbered from 0, concatenated in one vector. The last list can be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lists<I> {
    /// Start of each list in `items`, and then the number of all items.
    offsets: Vec<usize>,
    /// The indices of all lists.
    items: Vec<I>,
}

impl<I: Index> Lists<I> {
    /// Creates an empty collection.
    pub(super) fn new() -> Self {
        Lists { offsets: vec![0], items: Vec::new() }
    }

    /// Number of lists.
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The list of number `list`.
    pub(super) fn get(&self, list: usize) -> &[I] {
        &self.items[self.offsets[list]..self.offsets[list + 1]]
    }

    /// Start of each list in [`items`](Self::items), and then the number of all items.
    pub(super) fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The indices of all lists.
    pub(super) fn items(&self) -> &[I] {
        &self.items
    }

    /// Appends a list.
    ///
    /// # Errors
    /// [`Refused`]: there is not enough memory.
    pub(super) fn push(&mut self, list: &[I]) -> Result<(), Refused> {
        self.make_room(list.len())?;
        memory::push(&mut self.offsets, self.items.len() + list.len())?;
        self.items.extend_from_slice(list);
        Ok(())
    }

    /// Removes the last list. There must be one.
    pub(super) fn pop(&mut self) {
        self.offsets.pop();
        self.items.truncate(self.offsets[self.offsets.len() - 1]);
    }

    /// Reserves room for `additional` more indices. The system may promise more memory than it has, so the available
    /// memory is checked before the vector doubles, which happens seldom.
    fn make_room(&mut self, additional: usize) -> Result<(), Refused> {
        if self.items.capacity() - self.items.len() >= additional {
            return Ok(());
        }
        let more = additional.max(self.items.len());
        let bytes = self.items.len().saturating_add(more).saturating_mul(size_of::<I>());
        memory::probe(bytes as u64)?;
        memory::reserve(&mut self.items, more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_stacked() {
        let mut lists = Lists::<u32>::new();
        let long: Vec<u32> = (0..1000).collect();
        for list in [&[][..], &[7], &long, &[]] {
            lists.push(list).unwrap();
        }
        assert_eq!((lists.len(), lists.get(0), lists.get(1)), (4, &[][..], &[7][..]));
        assert_eq!((lists.get(2), lists.offsets()), (&long[..], &[0, 0, 1, 1001, 1001][..]));
        lists.pop();
        lists.pop();
        assert_eq!((lists.len(), lists.items()), (2, &[7][..]));
        lists.push(&[1, 2]).unwrap();
        assert_eq!((lists.get(2), lists.items()), (&[1, 2][..], &[7, 1, 2][..]));
    }
}
