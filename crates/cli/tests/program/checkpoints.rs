//! Searches that are stopped and go on.

use super::*;

#[test]
fn a_resumed_search_gives_the_answer_of_one_that_was_never_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("search.checkpoint");
    let path = file.to_str().unwrap();
    for algorithm in ["sp-mcts", "sp-mcts:balanced", "sp-mcts:cem-per-move"] {
        let base = ["solve", "r250:3", "--threads", "1", "-q", "-a", algorithm];
        // Budgets of a share of the whole would divide differently, so the
        // first part is stopped by its playouts.
        let with = |more: &[&str]| output(&[&base[..], &["--nodes", "30k"], more].concat());
        let straight = with(&[]);
        for cut in ["3", "7001"] {
            with(&["--checkpoint", path, "--playouts", cut]);
            let resumed = output(&["solve", "--resume", path, "-q", "--nodes", "30k"]);
            assert_eq!(resumed, straight, "{algorithm} cut at {cut}");
        }
    }
}

/// Workers that end at different times, and snapshots all the while: the last
/// state is there, and nothing is left to do in it.
#[test]
fn the_last_state_is_never_lost() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("search.checkpoint");
    let path = file.to_str().unwrap();
    for _ in 0..5 {
        let budget = ["--nodes", "30k", "--checkpoint-every", "5ms", "--checkpoint", path, "-q"];
        let search = ["-a", "sp-mcts", "--threads", "2"];
        let settings = ["--set", "restarts=3", "--set", "search-nodes=10000"];
        output(&[&["solve"][..], &search, &settings, &budget].concat());
        let resumed = output(&["solve", "--resume", path, "--json"]);
        assert!(resumed.contains("\"playouts\":30000,"), "{resumed}");
    }
}

#[test]
fn damaged_checkpoints_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("search.checkpoint");
    let path = file.to_str().unwrap();
    quick_output(&["solve", "--checkpoint", path, "-q"]);
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    fails(&["solve", "--resume", path], 3, "cut short");
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    fs::write(&file, &flipped).unwrap();
    fails(&["solve", "--resume", path], 3, "checksum does not match");
    let mut other = whole.clone();
    other[16] = b'9';
    fs::write(&file, &other).unwrap();
    fails(&["solve", "--resume", path], 3, "written by solitree 9.1.0");
    fs::write(&file, "hello").unwrap();
    fails(&["solve", "--resume", path], 3, "not a checkpoint of solitree");
    assert_eq!(fs::read(&file).unwrap(), b"hello", "and left as they are");
}

#[cfg(unix)]
#[test]
fn one_interrupt_prints_the_best_and_saves() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("search.checkpoint");
    let path = file.to_str().unwrap();
    // The same signal again at once, as `timeout` sends it, is no second one.
    for (signal, code, times) in [("INT", 130, 1), ("TERM", 143, 1), ("INT", 130, 2)] {
        let child = solitree(&["solve", "--time-limit", "60s", "-q", "--checkpoint", path])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let sent = Instant::now();
        for _ in 0..times {
            Command::new("kill")
                .args([&format!("-{signal}"), &child.id().to_string()])
                .status()
                .unwrap();
        }
        let output = child.wait_with_output().unwrap();
        assert!(sent.elapsed() < Duration::from_secs(20));
        output.assert().code(code).stdout(starts_with("std:1 "));
        output_of_resume(path);
    }
}

#[cfg(unix)]
fn output_of_resume(path: &str) {
    let line = output(&["solve", "--resume", path, "-q", "--time-limit", "1s"]);
    assert!(line.starts_with("std:1 "));
}
