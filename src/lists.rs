//! Lists of numbers, one after the other in a table.

use std::ops::Range;

use crate::memory::{self, Refused};

/// A list of items for each number of a range.
pub(crate) struct Lists<T> {
    first: usize,
    /// The end of each list in `items`, after that of the list before the first, which is 0.
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    /// Lists the items of each number in their order. Items of numbers outside the range are left out.
    ///
    /// # Errors
    /// [`Refused`] if the memory is not available.
    pub(crate) fn new(
        range: Range<usize>,
        items: impl Iterator<Item = (u32, T)> + Clone,
    ) -> Result<Self, Refused> {
        let (first, count) = (range.start, range.len());
        let place = |number: u32| Some((number as usize).wrapping_sub(first)).filter(|&place| place < count);
        // Until its items are listed, `ends[k + 1]` is the start of list k.
        let mut ends: Vec<usize> = memory::zeroed(count + 2)?;
        items.clone().for_each(|(number, _)| {
            if let Some(place) = place(number) {
                ends[place + 2] += 1;
            }
        });
        for place in 2..ends.len() {
            ends[place] += ends[place - 1];
        }
        let mut listed = memory::filled(T::default(), ends[count + 1])?;
        items.for_each(|(number, item)| {
            if let Some(place) = place(number) {
                listed[ends[place + 1]] = item;
                ends[place + 1] += 1;
            }
        });
        ends.pop();
        Ok(Lists { first, ends, items: listed })
    }

    /// How many lists there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// The number of items in all lists.
    pub(crate) fn items(&self) -> usize {
        self.items.len()
    }

    fn range(&self, number: usize) -> Range<usize> {
        self.ends[number - self.first]..self.ends[number - self.first + 1]
    }

    /// The items of a number.
    pub(crate) fn of(&self, number: usize) -> &[T] {
        &self.items[self.range(number)]
    }

    /// The items of a number, which may be changed and put in another order.
    pub(crate) fn of_mut(&mut self, number: usize) -> &mut [T] {
        let range = self.range(number);
        &mut self.items[range]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_order_and_others_are_left_out() {
        let items = [(5, 'a'), (3, 'b'), (5, 'c'), (2, 'd'), (6, 'e'), (3, 'f'), (5, 'g')];
        let mut lists = Lists::new(3..6, items.into_iter()).unwrap();
        assert_eq!((lists.len(), lists.items()), (3, 5));
        assert_eq!([3, 4, 5].map(|number| lists.of(number)), [&['b', 'f'][..], &[], &['a', 'c', 'g']]);
        lists.of_mut(5).reverse();
        assert_eq!((lists.of(3), lists.of(5)), (&['b', 'f'][..], &['g', 'c', 'a'][..]));
        let none = Lists::new(0..0, items.into_iter()).unwrap();
        assert_eq!((none.len(), none.items()), (0, 0));
    }
}
