//! What experiments and matches say: verdicts, tables and plots, from the results
//! alone.

mod analysis;
mod chart;
mod findings;
mod heat;
mod histogram;
mod page;
mod plot;
mod rivals;
mod table;
mod text;
mod verdict;
mod whiskers;

pub use analysis::Analysis;
pub use chart::{Chart, Curve, Point};
pub use findings::{Findings, write};
pub use histogram::Histogram;
pub use page::{Report, page};
pub use table::Table;
pub use text::{escaped, grouped};
pub use verdict::{Judgement, Verdict};
pub use whiskers::{Whisker, Whiskers};
