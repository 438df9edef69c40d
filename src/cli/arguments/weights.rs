//! When points are born: the options of a weighted Vietoris–Rips filtration.

use lacuna::metric::read::Diagonal;
use lacuna::rips::{DistanceToMeasure, Growth};

use crate::cli::error::{Result, usage};
use crate::cli::parse;

/// Where the births of points come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Weights {
    /// The diagonal of the matrix.
    Diagonal,
    /// The distance to the measure of all points.
    Dtm,
}

/// How points are weighted.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Filtration")]
pub(crate) struct WeightsArguments {
    /// Birth of points: diagonal, or dtm (distance to measure) [default: all at 0]
    ///
    /// diagonal  the diagonal of the matrix gives the birth of each point, inf for never; an
    ///           edge is born at its entry, but not before its points; in lists of edges:
    ///           `i i birth`. Points born after the threshold have no bar
    /// dtm       twice the distance-to-measure (DTM) of the point, as in giotto-ph; edges are
    ///           born when the balls around their points meet
    #[arg(long, value_name = "HOW", verbatim_doc_comment, value_parser = parse::one_of::<Weights>(),
        hide_possible_values = true)]
    weights: Option<Weights>,

    /// Growth of the balls in --weights dtm: the diameter at t is (t^P - w^P)^(1/P) [default: 1]
    #[arg(hide_short_help = true, long, value_name = "1|2|inf", value_parser = parse::one_of::<Growth>(), hide_possible_values = true)]
    dtm_p: Option<Growth>,

    /// Exponent of the distances in --weights dtm, greater than 0 [default: 2]
    #[arg(hide_short_help = true, long, value_name = "R", value_parser = parse::exponent, allow_hyphen_values = true)]
    dtm_r: Option<f64>,

    /// Number of neighbours in --weights dtm, without the point itself [default: 3]
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = parse::at_least_one, allow_hyphen_values = true)]
    dtm_neighbors: Option<usize>,
}

impl WeightsArguments {
    /// The meaning of the diagonal of a matrix.
    pub(crate) fn diagonal(&self) -> Diagonal {
        if self.weights == Some(Weights::Diagonal) { Diagonal::Births } else { Diagonal::Zero }
    }

    /// How points are weighted, if they are by their distance to a measure.
    ///
    /// # Errors
    /// They are not, but it was said how.
    pub(crate) fn measure(&self) -> Result<Option<DistanceToMeasure>> {
        let given = [
            ("--dtm-p", self.dtm_p.is_some()),
            ("--dtm-r", self.dtm_r.is_some()),
            ("--dtm-neighbors", self.dtm_neighbors.is_some()),
        ];
        if self.weights == Some(Weights::Dtm) {
            let default = DistanceToMeasure::default();
            return Ok(Some(DistanceToMeasure {
                growth: self.dtm_p.unwrap_or(default.growth),
                exponent: self.dtm_r.unwrap_or(default.exponent),
                neighbours: self.dtm_neighbors.unwrap_or(default.neighbours),
            }));
        }
        match given.into_iter().find(|option| option.1) {
            Some((option, _)) => Err(usage(format_args!("{option} applies only to --weights dtm"))),
            None => Ok(None),
        }
    }
}
