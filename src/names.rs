//! Names of formats, algorithms and other choices in plans, statistics, messages and on the command line.
//!
//! A choice is a variant of an enumeration. Its name is its name in serde, in kebab case, so that JSON and text
//! cannot disagree; the command line takes its names from clap's derive, in kebab case too.

use std::fmt::Display;

use crate::input::{Place, Problem};

/// The names of `choices`, for messages.
pub(crate) fn list(choices: &[impl Display]) -> String {
    let names: Vec<String> = choices.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// Finds the choice with the name `found`, ignoring case; `what` is the kind of choice, such as an algorithm.
pub(crate) fn find<T: Display + Copy>(what: &str, choices: &[T], found: &str) -> Result<T, Problem> {
    let named = choices.iter().find(|choice| choice.to_string().eq_ignore_ascii_case(found));
    named.copied().ok_or_else(|| {
        Problem::new(Place::Named(what.to_owned()), format!("one of {}", list(choices)), format!("{found:?}"))
    })
}

/// Implements `Display` for an enumeration by its names in serde, and lists its variants, which derives
/// [`strum::VariantArray`]. If a kind of choice is given, also implements `FromStr`.
macro_rules! named {
    ($choice:ty) => {
        impl ::std::fmt::Display for $choice {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::serde::Serialize::serialize(self, f)
            }
        }

        impl $choice {
            /// Every choice.
            pub const ALL: [Self; <Self as ::strum::VariantArray>::VARIANTS.len()] =
                *<Self as ::strum::VariantArray>::VARIANTS
                    .first_chunk()
                    .expect("the length is that of the slice");
        }
    };
    ($choice:ty, $what:literal) => {
        $crate::names::named!($choice);

        impl ::std::str::FromStr for $choice {
            type Err = $crate::input::Problem;

            fn from_str(found: &str) -> Result<Self, Self::Err> {
                $crate::names::find($what, &Self::ALL, found)
            }
        }
    };
}
pub(crate) use named;
