//! Hunts: they go on, survive, and take nothing that does not hold.

use super::*;

const BOARDS: &[&str] = &["random:1:7x7x3", "random:2:7x7x4"];

fn hunt<'a>(folder: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let run = ["hunt", "run", folder];
    let how = ["--slice", "200ms", "--threads", "1"];
    [&run[..], BOARDS, &how, more].concat()
}

#[test]
fn a_hunt_goes_on_and_its_lines_hold() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("hunt");
    let folder = folder.to_str().unwrap();
    let text = output(&hunt(folder, &["--attempts", "3"]));
    assert!(text.contains("first  portfolio, seed 1"), "{text}");
    assert!(text.lines().last().unwrap().starts_with("total"), "{text}");
    output(&hunt(folder, &["--attempts", "4", "--quiet"]));
    let status = output(&["hunt", "status", folder]);
    assert_eq!(status.lines().count(), 4, "{status}");
    assert!(status.lines().last().unwrap().trim_end().ends_with(" 7"), "seven attempts: {status}");
    let lines = output(&["hunt", "export", folder]);
    verify_from_stdin(&lines).success().stdout(starts_with("2 of 2 solutions hold"));
    // Its lines in another hunt, where one was spoilt.
    let file = dir.path().join("lines.txt");
    let spoilt = lines.replace("random:2:7x7x4 ", "random:2:7x7x4 9");
    fs::write(&file, spoilt).unwrap();
    let other = dir.path().join("other");
    let other = other.to_str().unwrap();
    let merge = ["hunt", "merge", other, file.to_str().unwrap()];
    let assert = solitree(&merge).assert().code(1);
    assert
        .stdout(contains("2 lines, 1 of them better than before, 1 refused"))
        .stderr(contains("lines.txt, line 4: the score is"));
    assert_eq!(output(&["hunt", "status", other]).lines().count(), 3);
}

#[test]
fn a_hunt_that_is_killed_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    let mut child = solitree(&hunt(folder, &[])).stdout(Stdio::null()).spawn().unwrap();
    let file = dir.path().join("attempts.jsonl");
    let started = Instant::now();
    let written = || fs::read_to_string(&file).map_or(0, |text| text.lines().count());
    while written() < 4 && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = written();
    assert!(before >= 4);
    let lines = output(&["hunt", "export", folder]);
    verify_from_stdin(&lines).success();
    output(&hunt(folder, &["--attempts", "1", "--quiet"]));
    assert!(written() > before.saturating_sub(1), "it goes on");
}

#[test]
fn lines_under_other_rules_say_so() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    output(&hunt(folder, &["--attempts", "2", "--rules", "clickomania", "--quiet"]));
    let lines = output(&["hunt", "export", folder]);
    verify_from_stdin(&lines).success().stdout(starts_with("2 of 2 solutions hold"));
}

#[test]
fn what_cannot_be_hunted_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    fails(&["hunt", "status", folder], 3, "there is no hunt in it");
    fails(&["hunt", "run", folder, "--slice", "0s"], 2, "an attempt needs time");
    fails(&["hunt", "run", folder, "std:99"], 2, "'99' is not a board of std");
    fails(&["hunt", "run", folder, "-m", "lsn"], 2, "did you mean 'lns'?");
    fails(&["hunt", "run", folder, "-m", "+lns"], 2, "needs a method that begins without");
}
