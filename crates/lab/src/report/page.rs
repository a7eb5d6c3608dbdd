//! An experiment as one page: Markdown, or HTML that needs nothing else.

use std::fmt::Write;

use super::analysis::Analysis;
use super::heat::heat;
use super::plot::plot;
use super::table::{Table, tables};
use super::text::escaped;
use super::verdict::{Judgement, judge};

/// An experiment's report. Only what the results say is in it: the same results
/// give the same bytes.
#[derive(Clone, Debug)]
pub struct Report {
    /// The experiment's name.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What it repeats.
    pub source: Option<String>,
    /// What a reader should know.
    pub note: Option<String>,
    /// How it was run.
    pub facts: String,
    /// The verdicts.
    pub judgements: Vec<Judgement>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The curve, as SVG.
    pub plot: Option<String>,
    /// Which setting is good on which board, as SVG.
    pub heat: Option<String>,
}

impl Report {
    /// The report of some results.
    #[must_use]
    pub fn of(analysis: &Analysis) -> Report {
        let spec = &analysis.plan.spec;
        let versions: Vec<&str> = analysis.versions.iter().map(String::as_str).collect();
        let mut facts = format!(
            "scale {}, seed {}, {} of {} {}",
            analysis.plan.scale,
            spec.seed,
            analysis.done,
            analysis.plan.len(),
            analysis.plan.runs_are()
        );
        if spec.meet.is_none() {
            let _ = write!(facts, ", {} thread(s) each", spec.threads_in_words());
        }
        if analysis.plan.is_timed() {
            facts.push_str("; limited by time, so that the results depend on the machine");
        }
        match versions[..] {
            [] => {}
            [only] => facts.push_str(&format!("; solitree {only}")),
            _ => facts.push_str(&format!(
                "; a mixture of several programs: solitree {}",
                versions.join(", ")
            )),
        }
        Report {
            name: spec.name.clone(),
            title: spec.title.clone(),
            source: spec.source.clone(),
            note: spec.note.clone(),
            facts,
            judgements: judge(analysis),
            tables: tables(analysis),
            plot: plot(analysis),
            heat: heat(analysis),
        }
    }

    /// The verdicts as a table.
    #[must_use]
    pub fn verdicts(&self) -> Option<Table> {
        if self.judgements.is_empty() {
            return None;
        }
        let row = |judgement: &Judgement| {
            vec![
                judgement.says.clone(),
                judgement.verdict.to_string(),
                judgement.evidence.clone(),
                judgement.chance.map_or_else(|| "-".to_owned(), chance),
            ]
        };
        Some(Table {
            title: "what is said, and what the results say to it".to_owned(),
            head: ["claim", "verdict", "evidence", "p (Holm)"].map(str::to_owned).to_vec(),
            rows: self.judgements.iter().map(row).collect(),
        })
    }

    /// As Markdown; the plot is a file beside it.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n\n{}\n\n", self.name, self.title);
        if let Some(source) = &self.source {
            let _ = writeln!(out, "After {source}.\n");
        }
        if let Some(note) = &self.note {
            let _ = writeln!(out, "{note}\n");
        }
        let _ = writeln!(out, "{}.\n", self.facts);
        for table in self.verdicts().iter().chain(&self.tables) {
            let _ = writeln!(out, "## {}\n\n{}", capital(&table.title), table.markdown());
        }
        if self.plot.is_some() {
            out.push_str("![score](plot.svg)\n\n");
        }
        if self.heat.is_some() {
            out.push_str("![score by board](heat.svg)\n");
        }
        format!("{}\n", out.trim_end())
    }

    /// As one page of HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let mut body =
            format!("<h1>{}</h1>\n<p>{}</p>\n", escaped(&self.name), escaped(&self.title));
        if let Some(source) = &self.source {
            let _ = writeln!(body, "<p>After {}.</p>", escaped(source));
        }
        if let Some(note) = &self.note {
            let _ = writeln!(body, "<p>{}</p>", escaped(note));
        }
        let _ = writeln!(body, "<p class=\"facts\">{}.</p>", escaped(&self.facts));
        if let Some(table) = self.verdicts() {
            let _ = writeln!(body, "<div class=\"wide verdicts\">{}</div>", table.html());
        }
        for table in &self.tables {
            let _ = writeln!(body, "<div class=\"wide\">{}</div>", table.html());
        }
        for picture in self.plot.iter().chain(&self.heat) {
            let _ = writeln!(body, "<figure>{picture}</figure>");
        }
        page(&self.name, &body)
    }
}

/// A page around a body.
#[must_use]
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>{STYLE}</style></head>\n<body><main>\n{body}</main></body></html>\n",
        escaped(title)
    )
}

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui,sans-serif;margin:0}\
main{max-width:60rem;margin:0 auto;padding:1.5rem}\
.facts{opacity:.75}\
.wide{overflow-x:auto;margin:1.5rem 0}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
caption{text-align:left;font-weight:600;padding:.3rem 0}\
caption::first-letter{text-transform:uppercase}\
th,td{padding:.25rem .7rem;border-bottom:1px solid #8884;text-align:right}\
.verdicts td,.verdicts th{text-align:left}\
td:last-child,th:last-child{white-space:nowrap}\
th:first-child,td:first-child{text-align:left}\
figure{margin:1.5rem 0}figcaption{font-weight:600}\
figcaption::first-letter{text-transform:uppercase}svg{max-width:100%;height:auto}";

fn chance(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
