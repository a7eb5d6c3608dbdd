//! Boards that a request names. Nothing here opens a file.

use solitree_games::samegame::{Board, BoardName};
use solitree_lab::{GameName, Instance};

use crate::protocol::{BoardView, KnownScore, Refusal, RulesView};

/// The instance of a name, or of rows as people write or paste them.
pub fn instance(text: &str, rules: Option<&str>, longest: usize) -> Result<Instance, Refusal> {
    let refused = |message: String| Refusal::of("board", message);
    let text = text.trim();
    if text.len() > longest {
        return Err(refused(format!("longer than {longest} characters")));
    }
    if rules.is_some_and(|rules| rules.len() > longest) {
        return Err(Refusal::of("rules", format!("longer than {longest} characters")));
    }
    if GameName::of(text) != GameName::SameGame {
        return Err(refused("only boards of SameGame are played here".to_owned()));
    }
    let name = match text.parse::<BoardName>() {
        Ok(name) => name.to_string(),
        Err(error) if !may_be_rows(text) => return Err(refused(error.to_string())),
        Err(_) => {
            let rows = text.parse::<Board>().map_err(|error| refused(error.to_string()))?;
            rows.to_inline()
        }
    };
    Instance::named(&name, rules).map_err(|message| {
        let field = if message.starts_with("rules") { "rules" } else { "board" };
        Refusal::of(field, message)
    })
}

/// Whether a text that is no name is meant to be rows: lines, or digits alone.
fn may_be_rows(text: &str) -> bool {
    let parted = text.contains(['\n', '/', ' ', ',']) && !text.contains(':');
    let digits = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    parted || digits && text.contains(|c: char| c.is_ascii_digit())
}

/// An instance as the page draws it.
pub fn view(instance: &Instance) -> Option<BoardView> {
    let Instance::SameGame { board, rules, .. } = instance else { return None };
    let sizes = || 0..=board.blocks() as u32;
    Some(BoardView {
        board: instance.name(),
        rows: board.to_inline(),
        rules: RulesView {
            name: rules.to_string(),
            points: sizes().map(|size| rules.points(size)).collect(),
            clear: rules.clear(),
            left: sizes().map(|blocks| rules.left(blocks)).collect(),
        },
        best_known: instance
            .best_known()
            .map(|(score, source)| KnownScore { score, source: source.to_owned() }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Result<String, String> {
        instance(text, None, 4096).map(|found| found.name()).map_err(|refusal| refusal.message)
    }

    #[test]
    fn names_and_rows_are_understood() {
        assert_eq!(named("std:3").unwrap(), "std:3");
        assert_eq!(named(" random:7:6x3x4 ").unwrap(), "random:7:6x3x4");
        assert_eq!(named("12/21").unwrap(), "12/21");
        assert_eq!(named("1 2\n2 1\n").unwrap(), "12/21");
        assert_eq!(named("1122").unwrap(), "1122/");
    }

    #[test]
    fn files_are_never_opened() {
        for text in ["/etc/passwd", "../Cargo.toml", "Cargo.toml", "-", "src/lib.rs", "./1"] {
            let said = named(text);
            assert!(said.is_err() || said == Ok("./1".to_owned()), "{text}: {said:?}");
        }
        assert!(named("morpion:5D").unwrap_err().contains("SameGame"));
        assert_eq!(named(&"1".repeat(5000)).unwrap_err(), "longer than 4096 characters");
        assert!(named("std:99").unwrap_err().contains("1 to 20"));
        assert!(named("12\n1").unwrap_err().starts_with("line 2"));
        assert_eq!(instance("std:1", Some("n^99"), 4096).unwrap_err().field, "rules");
    }
}
