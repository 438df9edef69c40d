//! A sort that is compiled once for all types, for lists that are no stage's main work.
//!
//! A sort of the standard library is compiled anew for each type and each order, to ten kilobytes.

use std::cmp::Ordering;
use std::mem;

/// Sorts items stably by an order that is called through a pointer.
pub(crate) fn stable<T>(items: &mut Vec<T>, order: &dyn Fn(&T, &T) -> Ordering) {
    let mut places: Vec<usize> = (0..items.len()).collect();
    sort_places(&mut places, &|a, b| order(&items[a], &items[b]));
    let mut taken: Vec<Option<T>> = mem::take(items).into_iter().map(Some).collect();
    items.extend(places.into_iter().filter_map(|place| taken[place].take()));
}

fn sort_places(places: &mut [usize], order: &dyn Fn(usize, usize) -> Ordering) {
    places.sort_by(|&a, &b| order(a, b));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_keep_their_order() {
        let mut items: Vec<(usize, String)> = (0..1000).map(|k| (k * 7919 % 10, k.to_string())).collect();
        let mut expected = items.clone();
        expected.sort_by_key(|item| item.0);
        stable(&mut items, &|a, b| a.0.cmp(&b.0));
        assert_eq!(items, expected);
    }
}
