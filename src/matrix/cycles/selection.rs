//! The selection of classes.

use phat_formats::Index;

use super::CyclesError;
use super::partners::{Partners, Role};
use crate::memory;

/// The classes whose cycles to compute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ClassSelection {
    /// All classes.
    #[default]
    All,
    /// The classes whose death is at least this number of cells after their birth, including all essential classes.
    Persistence(usize),
    /// The classes that these cells create.
    Named(Vec<usize>),
}

impl ClassSelection {
    /// Returns the cells that create the selected classes, ascending: those of pairs, and those of essential classes.
    ///
    /// # Errors
    /// A named cell creates no class; or there is no memory for the lists.
    pub(super) fn births<I: Index>(&self, partners: &Partners<I>) -> Result<(Vec<I>, Vec<I>), CyclesError> {
        let (mut finite, mut essential) = (Vec::new(), Vec::new());
        let mut take = |cell: usize, least: usize| match partners.role(cell) {
            Role::Birth(death) if death - cell >= least => memory::push(&mut finite, I::from_usize(cell)),
            Role::Essential => memory::push(&mut essential, I::from_usize(cell)),
            Role::Birth(_) | Role::Death(_) => Ok(()),
        };
        match self {
            ClassSelection::All => (0..partners.len()).try_for_each(|cell| take(cell, 0))?,
            &ClassSelection::Persistence(least) => {
                (0..partners.len()).try_for_each(|cell| take(cell, least))?;
            }
            ClassSelection::Named(named) => {
                named.iter().try_for_each(|&cell| check(cell, partners))?;
                let mut named = named.clone();
                named.sort_unstable();
                named.dedup();
                named.into_iter().try_for_each(|cell| take(cell, 0))?;
            }
        }
        Ok((finite, essential))
    }
}

/// Checks that a cell creates a class.
fn check<I: Index>(cell: usize, partners: &Partners<I>) -> Result<(), CyclesError> {
    if cell >= partners.len() {
        return Err(CyclesError::NoSuchCell { cell, cells: partners.len() });
    }
    match partners.role(cell) {
        Role::Death(birth) => Err(CyclesError::NotABirth { cell, birth }),
        Role::Birth(_) | Role::Essential => Ok(()),
    }
}
