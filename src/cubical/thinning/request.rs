//! Parameters of thinning.

use super::rule::Rule;
use crate::cubical::shape::{Shape, ShapeError};
use crate::memory::Refused;

/// Parameters of thinning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThinningRequest {
    /// The rule; if `None`, the default for the image's axes.
    pub rule: Option<Rule>,
    /// Greatest number of iterations; if `None`, until nothing changes.
    pub iterations: Option<usize>,
}

impl ThinningRequest {
    /// The requested rule, or the default for images of this shape.
    pub fn rule_for(&self, shape: Shape) -> Rule {
        self.rule.unwrap_or(if shape.extents()[0] == 1 { Rule::GuoHall } else { Rule::Subfields })
    }

    /// Like [`ThinningRequest::rule_for`], but checks that the rule applies to such images.
    ///
    /// # Errors
    /// [`ThinError::Space`]: a planar rule was requested for a three-dimensional image; [`ThinError::Shape`].
    pub fn suiting(&self, shape: Shape) -> Result<Rule, ThinError> {
        shape.check_three()?;
        let rule = self.rule_for(shape);
        if rule.is_planar() && shape.extents()[0] > 1 {
            return Err(ThinError::Space { rule, shape });
        }
        Ok(rule)
    }
}

/// Reasons why an image cannot be thinned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThinError {
    /// The rule is planar, but the image is not.
    #[error("rule {rule}: expected an image of one plane, found {shape}; subfields is the rule for space")]
    Space {
        /// The rule.
        rule: Rule,
        /// The shape of the image.
        shape: Shape,
    },
    /// The image has more than three axes.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Memory does not suffice.
    #[error(transparent)]
    Memory(#[from] Refused),
}
