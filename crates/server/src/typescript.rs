//! The page's types are those of the server: written by this test, compared by it.

use std::path::PathBuf;

use solitree_lab::{catalogue, insight, wire};
use ts_rs::{Config, TS};

use crate::protocol;

/// A file of the page's sources, which must be as given. With `SOLITREE_WRITE` set
/// it is written instead.
pub fn must_be(file: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../web").join(file);
    if std::env::var_os("SOLITREE_WRITE").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "web/{file} is not current: run `cargo xtask web`");
}

fn declared<T: TS>(text: &mut String) {
    let config = Config::new().with_large_int("number");
    for line in T::docs().unwrap_or_default().lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.push_str("export ");
    text.push_str(&T::decl(&config));
    text.push_str("\n\n");
}

#[test]
fn the_types_of_the_page_are_current() {
    let mut text = String::from("// Written by the tests of crates/server: do not edit.\n\n");
    text.push_str(&format!("export const PROTOCOL = {};\n\n", protocol::PROTOCOL));
    macro_rules! types {
        ($($type:ty),+ $(,)?) => { $( declared::<$type>(&mut text); )+ };
    }
    types![
        wire::RunHead,
        wire::Work,
        wire::SearchEvent,
        insight::InsightView,
        insight::CountedView,
        insight::MoveView,
        insight::LevelView,
        insight::LayerView,
        wire::Solution,
        catalogue::Boards,
        catalogue::SetInfo,
        catalogue::BoardInfo,
        catalogue::RuleInfo,
        catalogue::AlgorithmInfo,
        catalogue::PresetInfo,
        catalogue::ParameterInfo,
        catalogue::ParameterKind,
        catalogue::ParameterRange,
        catalogue::AgentInfo,
        protocol::Ask,
        protocol::Which,
        protocol::SearchAsk,
        protocol::SolveAsk,
        protocol::BudgetAsk,
        protocol::Reply,
        protocol::JobEvent,
        protocol::Refusal,
        protocol::SocketEvent,
        protocol::BoardView,
        protocol::RulesView,
        protocol::KnownScore,
        protocol::VerifyAsk,
        protocol::Verified,
        protocol::ThinkAsk,
        protocol::LayoutView,
        protocol::Thought,
        protocol::ThoughtMove,
        protocol::ProofView,
        protocol::RunList,
        protocol::RunInfo,
        protocol::RunView,
        protocol::FileInfo,
        protocol::KindView,
    ];
    must_be("src/lib/protocol.ts", &format!("{}\n", text.trim_end()));
}
