//! Games of Morpion Solitaire for people: as text, and as SVG.

use std::collections::BTreeMap;
use std::fmt::Write;

use solitree_games::morpion::Direction;
use solitree_games::morpion::plain::{PlainGame, Point};

/// Every point with the number of its move, 0 for those of the start.
fn points(game: &PlainGame) -> BTreeMap<Point, usize> {
    let start = game.cross().iter().map(|&point| (point, 0));
    start.chain(game.added().iter().zip(1..).map(|(&point, number)| (point, number))).collect()
}

/// The lowest and the highest of the points' coordinates, one each way.
fn extent(points: &BTreeMap<Point, usize>) -> (Point, Point) {
    let range = |of: fn(&Point) -> i32| {
        let values = || points.keys().map(of);
        (values().min().unwrap_or_default(), values().max().unwrap_or_default())
    };
    let ((left, right), (low, high)) = (range(|point| point.0), range(|point| point.1));
    ((left, low), (right, high))
}

/// Points, move numbers and lines as characters, with the coordinates that
/// moves are named by.
pub fn text(game: &PlainGame) -> String {
    let points = points(game);
    let ((left, low), (right, high)) = extent(&points);
    // The segment of a direction that begins at a point.
    let segment = |direction: Direction, from: Point| {
        game.lines().iter().filter(|line| line.direction == direction).any(|line| {
            let begins = &line.points[..line.points.len() - 1];
            begins.contains(&from)
        })
    };
    let mut out = String::new();
    for y in (low..=high).rev() {
        let mut row = format!("{y:>3} ");
        for x in left..=right {
            let label = match points.get(&(x, y)) {
                None => ".".to_owned(),
                Some(0) => "o".to_owned(),
                Some(number) => number.to_string(),
            };
            let link = if segment(Direction::East, (x, y)) { '-' } else { ' ' };
            let _ = write!(row, "{label:^3}{link}");
        }
        let mut between = " ".repeat(4);
        for x in left..=right {
            let upright = if segment(Direction::North, (x, y - 1)) { '|' } else { ' ' };
            let rising = segment(Direction::NorthEast, (x, y - 1));
            let falling = segment(Direction::SouthEast, (x, y));
            let slanted = match (rising, falling) {
                (true, true) => 'X',
                (true, false) => '/',
                (false, true) => '\\',
                (false, false) => ' ',
            };
            let _ = write!(between, " {upright} {slanted}");
        }
        let _ = writeln!(out, "{}", row.trim_end());
        let _ = writeln!(out, "{}", between.trim_end());
    }
    let mut axis = " ".repeat(4);
    for x in left..=right {
        let _ = write!(axis, "{x:^3} ");
    }
    out.push_str(axis.trim_end());
    out
}

/// The same as a picture.
pub fn svg(game: &PlainGame) -> String {
    const SIZE: i32 = 32;
    let points = points(game);
    let ((left, low), (right, high)) = extent(&points);
    let place = |(x, y): Point| (SIZE * (x - left + 1), SIZE * (high - y + 1));
    let (width, height) = (SIZE * (right - left + 2), SIZE * (high - low + 2));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"11\" text-anchor=\"middle\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for line in game.lines() {
        if let (Some(&first), Some(&last)) = (line.points.first(), line.points.last()) {
            let ((x1, y1), (x2, y2)) = (place(first), place(last));
            let _ = writeln!(
                out,
                "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"#0072b2\" stroke-width=\"2\"/>"
            );
        }
    }
    for (&point, &number) in &points {
        let (x, y) = place(point);
        let _ = match number {
            0 => writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"#000\"/>"),
            number => writeln!(
                out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"10\" fill=\"#fff\" stroke=\"#000\"/>\
                 <text x=\"{x}\" y=\"{}\">{number}</text>",
                y + 4
            ),
        };
    }
    out.push_str("</svg>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use solitree_games::morpion::Variant;
    use solitree_lab::played_morpion as played;

    #[test]
    fn a_sketch_shows_points_numbers_and_lines() {
        let start = PlainGame::new(Variant::FourDisjoint);
        let first = start.moves()[0].to_string();
        let game = played(Variant::FourDisjoint, &[first]).unwrap();
        let sketch = text(&game);
        assert_eq!(sketch.matches('o').count(), 24, "{sketch}");
        assert_eq!(sketch.matches('-').count(), 3, "{sketch}");
        assert!(svg(&game).matches("<line ").count() == 1 && svg(&game).contains(">1<"));
    }

    #[test]
    fn what_is_not_legal_is_named() {
        let message = |name: &str| played(Variant::FiveTouching, &[name.to_owned()]).unwrap_err();
        assert!(message("hello").starts_with("move 1 (hello): not a move such as 23,22n0"));
        assert_eq!(message("26,23e0"), "move 1 (26,23e0): there is a point at 26,23 already");
        assert_eq!(message("1,1e0"), "move 1 (1,1e0): the line needs a point at 2,1");
    }
}
