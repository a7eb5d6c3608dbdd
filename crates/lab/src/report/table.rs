//! Tables: the same rows for people, for Markdown, for HTML and as CSV.

use super::analysis::Analysis;
use super::text::{escaped, grouped};
use crate::experiment::{Cell, Measure, Meet};
use crate::stats::Summary;

/// A table of texts; the first column names the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// As Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule: Vec<String> = (0..self.head.len())
            .map(|column| if column == 0 { "---".to_owned() } else { "---:".to_owned() })
            .collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}{}{rows}", line(&self.head), line(&rule))
    }

    /// As HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let cells = |tag: &str, cells: &[String]| -> String {
            let cell = |text: &String| format!("<{tag}>{}</{tag}>", escaped(text));
            cells.iter().map(cell).collect()
        };
        let row = |row: &Vec<String>| format!("<tr>{}</tr>\n", cells("td", row));
        let rows: String = self.rows.iter().map(row).collect();
        format!(
            "<table><caption>{}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n{rows}</tbody></table>\n",
            escaped(&self.title),
            cells("th scope=\"col\"", &self.head).replace("</th scope=\"col\">", "</th>")
        )
    }

    /// As text in columns.
    #[must_use]
    pub fn text(&self) -> String {
        let all = || std::iter::once(&self.head).chain(&self.rows);
        let width = |column: usize| {
            all().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
        };
        let widths: Vec<usize> =
            (0..self.head.len()).map(|column| width(column).unwrap_or(0)).collect();
        let line = |row: &Vec<String>| {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let pad = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
                let cell =
                    if column == 0 { format!("{cell}{pad}") } else { format!("  {pad}{cell}") };
                line.push_str(&cell);
            }
            format!("{}\n", line.trim_end())
        };
        all().map(line).collect()
    }
}

/// The tables of an experiment.
#[must_use]
pub fn tables(analysis: &Analysis) -> Vec<Table> {
    let spec = &analysis.plan.spec;
    let mut tables: Vec<Table> =
        spec.measures.iter().map(|&measure| of_cells(analysis, measure)).collect();
    if spec.published.iter().any(|published| !published.scores.is_empty()) {
        tables.push(of_instances(analysis));
    }
    tables.extend(of_matches(analysis));
    tables
}

/// A row a setting, a pair of columns a budget: ours, and what was published.
fn of_cells(analysis: &Analysis, measure: Measure) -> Table {
    let plan = &analysis.plan;
    let budgets = plan.budgets();
    let known = |budget: usize| {
        plan.cells()
            .filter(|cell| cell.budget == budget)
            .any(|cell| published_mean(analysis, cell, measure).is_some())
    };
    let mut head = vec!["setting".to_owned()];
    for (budget, name) in budgets.iter().enumerate() {
        let limit = plan.limit(budget);
        head.push(if *name == limit { limit } else { format!("{name} [{limit}]") });
        if known(budget) {
            head.push("published".to_owned());
        }
    }
    let mut rows = Vec::new();
    let shown = |setting: &usize| plan.cells().any(|cell| cell.setting == *setting);
    for setting in (0..plan.spec.settings.len()).filter(shown) {
        let described = &plan.spec.settings[setting];
        let mut row = vec![described.name.clone()];
        for budget in 0..budgets.len() {
            let cell = Cell { setting, budget };
            let summary = analysis.summary(cell, measure);
            row.push(summary.map_or_else(|| "-".to_owned(), |summary| figure(&summary, measure)));
            if known(budget) {
                row.push(published_mean(analysis, cell, measure).unwrap_or_default());
            }
        }
        rows.push(row);
    }
    let of = plan.instances_are();
    let title = format!("{}: mean ± standard error ({of})", measure.name());
    Table { title, head, rows }
}

fn figure(summary: &Summary, measure: Measure) -> String {
    let digits = measure.digits();
    format!(
        "{} ± {} ({})",
        grouped(summary.mean, digits),
        grouped(summary.error, digits),
        summary.count
    )
}

fn published_mean(analysis: &Analysis, cell: Cell, measure: Measure) -> Option<String> {
    let published = analysis.published(cell, measure)?;
    let mean = grouped(published.mean?, measure.digits());
    let error = published.error().map(|error| grouped(error, measure.digits()));
    Some(match (error, published.instances) {
        (Some(error), Some(games)) => format!("{mean} ± {error} ({games} games)"),
        _ => mean,
    })
}

/// A row an instance of the last budget, a column a setting or a published
/// program, and the sums.
fn of_instances(analysis: &Analysis) -> Table {
    let plan = &analysis.plan;
    let budget = plan.budgets().len() - 1;
    let instances = plan.instances(budget);
    let mut columns: Vec<(String, Vec<f64>)> = plan
        .spec
        .published
        .iter()
        .filter(|published| !published.scores.is_empty())
        .map(|published| {
            let name = if plan.spec.is_published(&published.setting) {
                published.setting.clone()
            } else {
                format!("{} (published)", published.setting)
            };
            (name, published.scores.clone())
        })
        .collect();
    for cell in plan.cells().filter(|cell| plan.instances(cell.budget) == instances) {
        let name = format!("{} (ours)", plan.spec.settings[cell.setting].name);
        columns.push((name, analysis.values(cell, Measure::Score).to_vec()));
    }
    let text = |value: Option<&f64>| match value {
        Some(value) if !value.is_nan() => grouped(*value, 0),
        _ => "-".to_owned(),
    };
    let mut rows: Vec<Vec<String>> = instances
        .iter()
        .enumerate()
        .map(|(index, instance)| {
            let cells = columns.iter().map(|(_, values)| text(values.get(index)));
            std::iter::once(instance.clone()).chain(cells).collect()
        })
        .collect();
    let total = |values: &Vec<f64>| {
        let known = values.len() >= instances.len() && !values.iter().any(|value| value.is_nan());
        if known { grouped(values[..instances.len()].iter().sum(), 0) } else { "-".to_owned() }
    };
    let totals = columns.iter().map(|(_, values)| total(values));
    rows.push(std::iter::once("total".to_owned()).chain(totals).collect());
    let head = columns.iter().map(|(name, _)| name.clone());
    Table {
        title: "board by board".to_owned(),
        head: std::iter::once("board".to_owned()).chain(head).collect(),
        rows,
    }
}

/// Elo under each budget: of every agent against the one they all meet, or ratings
/// of all.
fn of_matches(analysis: &Analysis) -> Vec<Table> {
    let plan = &analysis.plan;
    let mut tables = Vec::new();
    for (standings, budget) in analysis.standings.iter().zip(plan.budgets()) {
        let table = match plan.spec.meet {
            Some(Meet::First) => Some(standings.pairings()),
            _ => standings.ratings().ok(),
        };
        if let Some(mut table) = table {
            table.title = format!("{}, {budget}", table.title);
            tables.push(table);
        }
    }
    tables
}
