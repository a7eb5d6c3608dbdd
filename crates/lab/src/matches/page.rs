//! A match as one page of HTML that needs nothing else, and its pictures.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use super::event::Event;
use super::player::Pace;
use super::standings::Standings;
use crate::Failure;
use crate::journal::write_whole;
use crate::report::{Histogram, Table, Whisker, Whiskers, escaped, page};
use crate::stats::Rating;

/// What a reader of the page should know beside the games.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// What was played.
    pub event: &'a Event,
    /// The command that played it.
    pub command: &'a str,
    /// What else was found out, a line each.
    pub remarks: &'a [String],
}

/// Writes `report.html`, `ratings.svg` and `lengths.svg` into a folder, which is made
/// if it is not there. The same games and command give the same bytes.
pub fn write_report(standings: &Standings, about: About<'_>, folder: &Path) -> Result<()> {
    let failed =
        |path: &Path, error: std::io::Error| Failure::input(format!("{}: {error}", path.display()));
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let save = |name: &str, text: &str| {
        let path = folder.join(name);
        write_whole(&path, text).map_err(|error| failed(&path, error))
    };
    let (ratings, lengths) = (ratings(standings), lengths(standings));
    for (name, picture) in [("ratings.svg", &ratings), ("lengths.svg", &lengths)] {
        if let Some(picture) = picture {
            save(name, picture)?;
        }
    }
    save("report.html", &html(standings, about, [ratings, lengths]))
}

fn html(standings: &Standings, about: About<'_>, pictures: [Option<String>; 2]) -> String {
    let names: Vec<String> = standings.agents.iter().map(|name| escaped(name)).collect();
    let mut body = format!(
        "<h1>Match</h1>\n<p>{}</p>\n<p class=\"facts\">{}.</p>\n<pre class=\"wide\">{}</pre>\n",
        names.join(" &middot; "),
        escaped(&facts(standings, about.event)),
        escaped(about.command)
    );
    let add = |body: &mut String, table: &Table| {
        let _ = writeln!(body, "<div class=\"wide\">{}</div>", table.html());
    };
    let draw = |body: &mut String, picture: &Option<String>| {
        if let Some(picture) = picture {
            let _ = writeln!(body, "<figure>{picture}</figure>");
        }
    };
    let [ratings, lengths] = pictures;
    match standings.ratings() {
        Ok(table) => add(&mut body, &table),
        Err(error) => {
            let _ = writeln!(body, "<p>No ratings: {}.</p>", escaped(&error));
        }
    }
    draw(&mut body, &ratings);
    let tables = [
        standings.pairings(),
        standings.cross(),
        standings.pair_counts(),
        standings.by_colour(),
        standings.points(),
        standings.conduct(),
    ];
    tables.iter().for_each(|table| add(&mut body, table));
    let colours = standings.colours();
    for line in standings.notes().iter().chain([&colours]).chain(about.remarks) {
        let _ = writeln!(body, "<p>{}</p>", escaped(line));
    }
    draw(&mut body, &lengths);
    page("Match", &body)
}

/// How it was played, in a sentence.
fn facts(standings: &Standings, event: &Event) -> String {
    let Pace { limit, playouts, .. } = event.pace;
    let time = match playouts {
        Some(playouts) => format!("{playouts} playouts a move"),
        None => format!("{limit:?} a move, {:?} more let pass", event.margin),
    };
    let builds: Vec<&str> = standings.builds.iter().map(String::as_str).collect();
    format!(
        "{}; {time}; openings of {} random moves, sides swapped; seed {}; {} of {} games; \
         solitree {}",
        event.layout,
        event.plies,
        event.seed,
        standings.games(),
        event.games(),
        builds.join(", ")
    )
}

/// The ratings as a picture, the best at the top.
fn ratings(standings: &Standings) -> Option<String> {
    let (players, _) = standings.rated().ok()?;
    let whisker = |rating: Rating| Whisker {
        name: rating.name,
        value: rating.elo,
        interval: (rating.low, rating.high),
    };
    let chart = Whiskers {
        title: "ratings with 95 % intervals".to_owned(),
        across: "Elo".to_owned(),
        rows: players.into_iter().map(whisker).collect(),
    };
    chart.svg()
}

/// How long the games were, as a picture.
fn lengths(standings: &Standings) -> Option<String> {
    let chart = Histogram {
        title: "lengths of games".to_owned(),
        across: "moves".to_owned(),
        upwards: "games".to_owned(),
        counts: standings.lengths.clone(),
    };
    chart.svg()
}
