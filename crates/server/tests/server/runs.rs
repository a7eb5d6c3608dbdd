//! The runs of a folder: what can be seen of them, and what cannot be reached.

use std::fs;
use std::path::Path;

use solitree_server::{Config, ConfigError, Server};

use crate::client::{Answer, get, server};

/// A small experiment, as it is kept in its folder.
pub const SPEC: &str = r#"# scale: quick
name = "small"
title = "Two settings on small boards"
[scales.quick]
instances = ["random:1-3:8x8x4"]
budgets = [{ name = "few", nodes = "4", at = 4 }]
[[settings]]
name = "tree"
algorithm = "sp-mcts:exploitation"
"#;

/// A folder with an experiment that has no results yet, a tuning, a training, and things
/// that are nobody's business.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("runs/small-quick/spec.toml", SPEC);
    write("runs/tune/tuning.toml", "algorithm = \"sp-mcts\"");
    write("runs/tune/report.html", "<p>first <script>alert(1)</script>");
    write("runs/tune/plot.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
    write("runs/tune/trials.jsonl", "{}\n");
    write("runs/tune/secret.key", "secret");
    write("runs/train/training.toml", "");
    write("runs/train/games.jsonl", "{}\n");
    write("runs/train/report.html", "<p>curves");
    write("runs/other/notes.md", "secret");
    write("outside/tuning.toml", "secret");
    write("outside/report.html", "secret");
    folder
}

async fn serve(folder: &Path) -> std::net::SocketAddr {
    server(Config { runs: Some(folder.join("runs")), ..Config::default() }).await
}

fn names(answer: &Answer) -> Vec<String> {
    let runs = answer.json()["runs"].as_array().unwrap().clone();
    let mut names: Vec<String> =
        runs.iter().map(|run| run["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn runs_are_listed_and_their_reports_follow_them() {
    let folder = folder();
    let address = serve(folder.path()).await;
    let list = get(address, "/api/runs").await;
    assert_eq!(list.json()["served"], true);
    assert_eq!(names(&list), ["small-quick", "train", "tune"]);
    assert_eq!(get(address, "/api/runs/train").await.json()["kind"], "training");
    assert_eq!(get(address, "/api/runs/train/report").await.text(), "<p>curves");
    let view = get(address, "/api/runs/tune").await.json();
    assert_eq!(view["kind"], "tuning");
    let files = view["files"].as_array().unwrap();
    let files: Vec<&str> = files.iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!(files, ["plot.svg", "report.html", "trials.jsonl", "tuning.toml"]);
    let report = get(address, "/api/runs/tune/report").await;
    assert!(report.text().starts_with("<p>first"));
    let policy = report.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none';") && policy.ends_with("sandbox"), "{policy}");
    assert!(!policy.contains("script-src") && policy.contains("frame-ancestors 'self'"));
    // What is written meanwhile is seen.
    fs::write(folder.path().join("runs/tune/report.html"), "<p>second, and longer").unwrap();
    let path = folder.path().join("runs/tune/report.html");
    let later =
        fs::metadata(&path).unwrap().modified().unwrap() + std::time::Duration::from_secs(1);
    fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    assert_eq!(get(address, "/api/runs/tune/report").await.text(), "<p>second, and longer");
    let changed = get(address, "/api/runs/tune").await.json()["changed"].as_u64();
    assert!(changed > view["changed"].as_u64());
    let picture = get(address, "/api/runs/tune/files/plot.svg").await;
    assert_eq!(picture.header("content-type"), Some("image/svg+xml"));
    assert!(picture.header("content-security-policy").unwrap().ends_with("sandbox"));
    // An experiment that has just begun has a report too.
    let begun = get(address, "/api/runs/small-quick/report").await;
    assert_eq!(begun.status, 200, "{begun:?}");
    assert!(begun.text().contains("Two settings on small boards"));
    // A report that is not there yet is no page.
    fs::remove_file(path).unwrap();
    let none = get(address, "/api/runs/tune/report").await;
    assert_eq!((none.status, &none.json()["message"]), (422, &"there is no report yet".into()));
}

#[tokio::test]
async fn nothing_outside_the_folder_can_be_reached() {
    let folder = folder();
    #[cfg(unix)]
    {
        let link = |from: &str, to: &str| {
            std::os::unix::fs::symlink(folder.path().join(from), folder.path().join(to)).unwrap();
        };
        link("outside", "runs/link");
        link("outside/report.html", "runs/tune/linked.html");
        // Nor by the file that a report is read from.
        fs::create_dir(folder.path().join("runs/linked")).unwrap();
        fs::write(folder.path().join("runs/linked/tuning.toml"), "").unwrap();
        link("outside/report.html", "runs/linked/report.html");
    }
    let address = serve(folder.path()).await;
    assert_eq!(names(&get(address, "/api/runs").await), ["small-quick", "train", "tune"]);
    for path in [
        "/api/runs/link",
        "/api/runs/link/report",
        "/api/runs/linked",
        "/api/runs/linked/report",
        "/api/runs/linked/files/report.html",
        "/api/runs/link/files/report.html",
        "/api/runs/tune/files/linked.html",
        "/api/runs/tune/files/secret.key",
        "/api/runs/tune/files/secret.exe",
        "/api/runs/tune/files/none.svg",
        "/api/runs/other",
        "/api/runs/other/files/notes.md",
        "/api/runs/..",
        "/api/runs/../outside/report",
        "/api/runs/..%2foutside/report",
        "/api/runs/..%2foutside/files/report.html",
        "/api/runs/tune/files/..%2f..%2foutside%2freport.html",
        "/api/runs/tune/files/%2e%2e%2freport.html",
        "/api/runs/%2fetc/files/passwd",
        "/api/runs/tune%00/report",
        "/api/runs/./report",
        "/api/runs/.",
        "/api/runs/tune/files/",
    ] {
        let answer = get(address, path).await;
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
        assert!(!answer.text().contains("secret"), "{path}");
    }
    let view = get(address, "/api/runs/tune").await.text();
    assert!(!view.contains("linked") && !view.contains("secret"), "{view}");
}

#[tokio::test]
async fn without_a_folder_there_are_no_runs() {
    let address = server(Config::default()).await;
    let list = get(address, "/api/runs").await;
    assert_eq!((list.status, &list.json()["served"]), (200, &false.into()));
    assert_eq!(get(address, "/api/runs/tune").await.status, 404);
    let runs = Some("/nowhere/at/all".into());
    let refused = Server::bind(Config { runs, ..Config::default() }).await.unwrap_err();
    assert!(matches!(refused, ConfigError::Runs { .. }));
    assert!(refused.to_string().starts_with("runs /nowhere/at/all: "), "{refused}");
}
