//! Boards for people: in colour on a terminal, plain text elsewhere, and SVG.
//!
//! Colour never stands alone: each also has a letter. The palette is that of
//! Okabe and Ito, which people tell apart whatever their colour vision, with
//! black, white and grey to make nine.

use std::fmt::Write;
use std::io::IsTerminal;

use solitree_games::samegame::plain::PlainGame;
use solitree_games::samegame::{Board, Cell, Rules};

use crate::args::Colour;

/// Red, green, blue of each colour, and whether dark letters read better on it.
const PALETTE: [(u8, u8, u8, bool); 9] = [
    (230, 159, 0, true),
    (86, 180, 233, true),
    (0, 158, 115, false),
    (240, 228, 66, true),
    (0, 114, 178, false),
    (213, 94, 0, false),
    (204, 121, 167, true),
    (60, 60, 60, false),
    (200, 200, 200, true),
];

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// With colours.
    Coloured,
    /// Without.
    Plain,
}

impl Style {
    /// The style that the user's wish, the environment and standard output ask for.
    pub fn choose(colour: Colour) -> Style {
        let dumb = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let coloured = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => !dumb && std::io::stdout().is_terminal(),
        };
        if coloured { Style::Coloured } else { Style::Plain }
    }
}

/// The letter of a colour.
fn letter(colour: u8) -> char {
    if colour == 0 { ' ' } else { char::from(b'A' + colour - 1) }
}

/// A grid of cells, three characters each, with row numbers and column letters.
fn grid(board: &Board, style: Style, mut text: impl FnMut(Cell, u8) -> String) -> String {
    let mut out = String::new();
    for row in (0..board.height()).rev() {
        let _ = write!(out, "{:>3} ", row + 1);
        for column in 0..board.width() {
            let cell = Cell::new(column, row);
            let colour = board.colour(column, row);
            let text = text(cell, colour);
            match (style, colour) {
                (Style::Plain, _) | (_, 0) => out.push_str(&text),
                (Style::Coloured, colour) => {
                    let (r, g, b, dark) = PALETTE[usize::from(colour - 1)];
                    let ink = if dark { "0;0;0" } else { "255;255;255" };
                    let _ = write!(out, "\x1b[48;2;{r};{g};{b};38;2;{ink}m{text}\x1b[0m");
                }
            }
        }
        out.push('\n');
    }
    out.push_str("    ");
    for column in 0..board.width() {
        let name = Cell::new(column, 0).to_string();
        let _ = write!(out, "{:^3}", name.trim_end_matches('1'));
    }
    out.push('\n');
    out
}

/// A board, the cells of a group marked by brackets.
pub fn board(board: &Board, style: Style, marked: &[Cell]) -> String {
    grid(board, style, |cell, colour| match (colour, marked.contains(&cell)) {
        (0, _) => " . ".to_owned(),
        (_, true) => format!("[{}]", letter(colour)),
        (_, false) => format!(" {} ", letter(colour)),
    })
}

/// The blocks of a board that a line removes, each with the number of the move,
/// from 1.
fn removal_order(board: &Board, rules: &Rules, moves: &[String]) -> Vec<(Cell, usize)> {
    let mut game = PlainGame::new(board, rules);
    // Where each block of the present position stood at the start.
    let mut origins: Vec<Vec<Cell>> = (0..board.width())
        .map(|x| {
            let filled = (0..board.height()).take_while(|&y| board.colour(x, y) != 0);
            filled.map(|y| Cell::new(x, y)).collect()
        })
        .collect();
    let mut order = Vec::new();
    for (index, name) in moves.iter().enumerate() {
        let Some(group) = name.parse().ok().and_then(|cell| game.play(cell)) else { break };
        for cell in group.cells.iter().rev() {
            order.push((origins[cell.column()].remove(cell.row()), index + 1));
        }
        origins.retain(|column| !column.is_empty());
    }
    order
}

/// The whole line in one picture: each block shows the move that removes it.
pub fn line(start: &Board, rules: &Rules, moves: &[String], style: Style) -> String {
    let order = removal_order(start, rules, moves);
    grid(start, style, |cell, colour| match order.iter().find(|(origin, _)| *origin == cell) {
        Some((_, number)) => format!("{number:>3}"),
        None if colour == 0 => " . ".to_owned(),
        None => " - ".to_owned(),
    })
}

/// The board as a picture; with moves, each block shows the one that removes it.
pub fn svg(start: &Board, rules: &Rules, moves: &[String]) -> String {
    const SIZE: usize = 32;
    let order = removal_order(start, rules, moves);
    let (width, height) = (start.width() * SIZE, start.height() * SIZE);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#222\"/>\n"
    );
    for column in 0..start.width() {
        for row in 0..start.height() {
            let colour = start.colour(column, row);
            if colour == 0 {
                continue;
            }
            let (r, g, b, dark) = PALETTE[usize::from(colour - 1)];
            let (x, y) = (column * SIZE, (start.height() - 1 - row) * SIZE);
            let number = order.iter().find(|(cell, _)| *cell == Cell::new(column, row));
            let text = number.map_or_else(|| letter(colour).to_string(), |(_, n)| n.to_string());
            let ink = if dark { "#000" } else { "#fff" };
            let _ = writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"#{r:02x}{g:02x}{b:02x}\"/>\
                 <text x=\"{}\" y=\"{}\" fill=\"{ink}\">{text}</text>",
                x + 1,
                y + 1,
                SIZE - 2,
                SIZE - 2,
                x + SIZE / 2,
                y + SIZE / 2 + 5,
            );
        }
    }
    out.push_str("</svg>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> (Board, Rules) {
        ("12/12/22".parse().unwrap(), Rules::default())
    }

    #[test]
    fn a_plain_board_marks_the_group() {
        let (start, _) = example();
        let group = [Cell::new(0, 1), Cell::new(0, 2)];
        assert_eq!(
            board(&start, Style::Plain, &group),
            "  3 [A] B \n  2 [A] B \n  1  B  B \n     a  b \n"
        );
    }

    #[test]
    fn the_picture_of_a_line_says_when_each_block_goes() {
        let (start, rules) = example();
        let moves = ["a2".to_owned(), "a1".to_owned()];
        let picture = line(&start, &rules, &moves, Style::Plain);
        assert_eq!(picture, "  3   1  2\n  2   1  2\n  1   2  2\n     a  b \n");
        assert!(svg(&start, &rules, &moves).matches(">2<").count() == 4);
    }

    #[test]
    fn colour_is_never_alone() {
        let (start, _) = example();
        let coloured = board(&start, Style::Coloured, &[]);
        assert!(
            coloured.contains("\x1b[48;2;") && coloured.contains(" A ") && coloured.contains(" B ")
        );
    }
}
