//! Tables 1 and 2 and Figure 7: columns by their additions, and total additions.

use lacuna::matrix::Representation;
use lacuna::matrix::leftmost_ones;
use lacuna::matrix::reduction::{chunk, ss_plus, twist};

use super::row;
use super::subject::{Subject, hypha, solve};
use crate::Failure;
use crate::rows::{Row, Unit};

/// The paper's numbers for a data set: columns; shares of columns without additions, outside the tail, in the tail;
/// columns of the tail and the share of creators among them.
fn printed(paper: &str) -> [f64; 6] {
    match paper {
        "high_genus_extended" => [2.76e6, 0.4878, 0.4952, 0.0170, 4.69e4, 0.9098],
        "mumford" => [2.37e6, 0.0957, 0.8185, 0.0858, 2.03e5, 1.0],
        "torus" => [5.58e5, 0.5003, 0.4927, 0.0070, 3.92e3, 0.9997],
        "18-sphere" => [1.05e6, 0.5, 0.2940, 0.2060, 2.16e5, 1.0],
        // The available copy of the paper has lost the decimal point of the last number.
        _ => [2.05e6, 0.6247, 0.3270, 0.0483, 9.89e4, 0.9998],
    }
}

/// The number of columns, and their shares by additions.
pub fn table_1(subject: &Subject<'_>) -> Vec<Row> {
    let [columns, without, some, tail, ..] = printed(subject.set.paper);
    let ours = subject.distribution;
    let share = |count: usize| count as f64 / ours.columns as f64;
    let mut rows = vec![row(subject, "columns", Unit::Count, Some(columns), ours.columns as f64)];
    rows[0].remark = String::from("the paper gives three digits");
    for (what, paper, count) in [
        ("0-addition", without, ours.without_additions),
        ("non-tail", some, ours.non_tail),
        ("tail", tail, ours.tail),
    ] {
        rows.push(row(subject, what, Unit::Fraction, Some(paper), share(count)));
    }
    rows
}

/// The columns of the tail, and the creators among them.
pub fn table_2(subject: &Subject<'_>) -> Vec<Row> {
    let [.., tail, creators] = printed(subject.set.paper);
    let ours = subject.distribution;
    let mut first = row(subject, "tail columns", Unit::Count, Some(tail), ours.tail as f64);
    first.remark = format!(
        "the paper gives three digits; ours take {} to {} additions each",
        ours.tail_least, ours.most
    );
    let share = ours.tail_creators as f64 / ours.tail.max(1) as f64;
    let mut second = row(subject, "creators among the tail", Unit::Fraction, Some(creators), share);
    if subject.set.paper == "saddle_orbit_64" {
        second.remark = String::from("the decimal point of the paper's figure is lost in the copy at hand");
    }
    vec![first, second]
}

/// The additions of HYPHA, chunk and twist.
pub fn figure_7(subject: &Subject<'_>) -> Result<Vec<Row>, Failure> {
    let paper = match subject.set.paper {
        "high_genus_extended" => [Some(49.65e6), None, None],
        "mumford" => [Some(10.73e6), Some(8.60e6), Some(35.66e6)],
        "18-sphere" => [Some(0.0), Some(74.99e3), Some(19.0)],
        _ => [None; 3],
    };
    let Subject { matrix, threads, .. } = subject;
    let staged = hypha(matrix, *threads, || Ok(leftmost_ones::scan(matrix)), ss_plus)?;
    let chunked = solve(matrix, true, *threads, Representation::BitTree, chunk);
    let twisted = solve(matrix, true, 1, Representation::BitTree, twist);
    let mut rows = Vec::new();
    for (what, paper, solved) in
        [("HYPHA", paper[0], &staged.solved), ("CHUNK", paper[1], &chunked), ("TWIST", paper[2], &twisted)]
    {
        subject.check(what, &solved.pairs)?;
        // A count of zero has no meaningful ratio.
        let unit = if paper == Some(0.0) { Unit::Count } else { Unit::Work };
        rows.push(row(subject, format!("additions, {what}"), unit, paper, solved.additions as f64));
    }
    rows[0].remark = format!("{} of them in compression", staged.compression);
    Ok(rows)
}
