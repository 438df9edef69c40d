//! What is asked of an image.

use super::rule::Rule;
use crate::cubical::shape::Shape;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThinningRequest {
    /// The rule; as suits the image, if it is not given.
    pub rule: Option<Rule>,
    /// The most iterations.
    pub iterations: Option<usize>,
}

impl ThinningRequest {
    /// The rule that is asked for, or suits images of a shape.
    pub fn rule_for(&self, shape: Shape) -> Rule {
        self.rule.unwrap_or(if shape.extents()[0] == 1 { Rule::GuoHall } else { Rule::Subfields })
    }

    /// Like [`ThinningRequest::rule_for`], where the rule is one for such images.
    ///
    /// # Errors
    /// [`ThinError::Space`]: a rule of the plane was asked for in space.
    pub fn suiting(&self, shape: Shape) -> Result<Rule, ThinError> {
        let rule = self.rule_for(shape);
        if rule.is_planar() && shape.extents()[0] > 1 {
            return Err(ThinError::Space { rule, shape });
        }
        Ok(rule)
    }
}

/// Why an image cannot be thinned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ThinError {
    /// The rule is one of the plane.
    #[error("rule {rule}: expected an image of one plane, found {shape}; subfields is the rule for space")]
    Space {
        /// The rule.
        rule: Rule,
        /// The image's shape.
        shape: Shape,
    },
}
