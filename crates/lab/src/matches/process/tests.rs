use super::pipes::{End, Output, read_lines};
use super::*;

/// Runs a test that must not take longer than this, however it goes wrong.
fn within(seconds: u64, test: impl FnOnce() + Send + 'static) {
    let (sender, receiver) = channel();
    let runner = thread::spawn(move || {
        test();
        let _ = sender.send(());
    });
    match receiver.recv_timeout(Duration::from_secs(seconds)) {
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("over {seconds} seconds"),
        _ => runner.join().unwrap(),
    }
}

fn shell(script: &str) -> Process {
    Process::start(&["sh".into(), "-c".into(), script.into()]).unwrap()
}

fn after(milliseconds: u64) -> Instant {
    Instant::now() + Duration::from_millis(milliseconds)
}

/// The next line, which must come.
fn line(process: &mut Process) -> String {
    match process.receive(after(5000)) {
        Reply::Line(line, _) => line,
        other => panic!("{other:?}"),
    }
}

/// The exit code with which the program must be gone next.
fn code(process: &mut Process) -> Option<i32> {
    match process.receive(after(5000)) {
        Reply::Gone(status) => status.expect("a status").code(),
        other => panic!("{other:?}"),
    }
}

fn replies(bytes: &[u8]) -> Vec<Reply> {
    let output = Output::default();
    read_lines(bytes, &output);
    let mut replies = Vec::new();
    loop {
        replies.push(output.next(after(1000)).expect("a reply"));
        if !matches!(replies.last(), Some(Reply::Line(..) | Reply::NotText)) {
            return replies;
        }
    }
}

fn texts(bytes: &[u8]) -> Vec<String> {
    let text = |reply| match reply {
        Reply::Line(line, _) => line,
        other => format!("{other:?}"),
    };
    replies(bytes).into_iter().map(text).collect()
}

#[test]
fn commands_are_split_without_a_shell() {
    let split = |text| split_command(text).unwrap();
    assert_eq!(split("./engine --flag 'two words'"), ["./engine", "--flag", "two words"]);
    assert_eq!(split(" a\t\"b 'c' \\\" \\\\ \\n\"  ''\n"), ["a", "b 'c' \" \\ \\n", ""]);
    assert_eq!(split(r"a\ b c'd'e\'f '\' $HOME *"), ["a b", "cde'f", "\\", "$HOME", "*"]);
    assert_eq!(split("ä\u{a0}b"), ["ä\u{a0}b"]);
    assert!(split_command("a 'b").unwrap_err().contains("unclosed '"));
    assert!(split_command("a \"b'\\\"").unwrap_err().contains("unclosed \""));
    assert!(split_command("a \\").unwrap_err().contains("backslash"));
    for empty in ["", " \n ", "''", "'' a"] {
        assert_eq!(split_command(empty).unwrap_err(), "the command is empty");
    }
}

#[test]
fn lines_are_cut_at_their_ends() {
    assert_eq!(texts(b""), ["Gone(None)"]);
    assert_eq!(texts(b"a\r\n\n\r\nb\rc\nd"), ["a", "", "", "b\rc", "d", "Gone(None)"]);
    assert_eq!(texts(b"a\n\xff\xfe\nb\n"), ["a", "NotText", "b", "Gone(None)"]);
    assert_eq!(texts("é\n".as_bytes()), ["é", "Gone(None)"]);
}

#[test]
fn limits_are_exact() {
    let long = "x".repeat(64 << 10);
    assert_eq!(texts(format!("a\n{long}\nb").as_bytes()), ["a", &long, "b", "Gone(None)"]);
    assert_eq!(texts(format!("a\n{long}x\nb").as_bytes()), ["a", "TooLong"]);
    assert_eq!(texts(format!("{long}x").as_bytes()), ["TooLong"]);
    assert_eq!(replies(&b"\n".repeat(100_000)).len(), 100_001);
    assert_eq!(replies(&b"\n".repeat(100_001)), [Reply::Flood]);
    let most = format!("{long}\n").repeat(128);
    assert_eq!(replies(most.as_bytes()).len(), 129);
    assert_eq!(replies((most + "x\n").as_bytes()), [Reply::Flood]);
}

#[test]
fn what_is_read_waits_no_more() {
    let output = Output::default();
    for _ in 0..300 {
        for _ in 0..1000 {
            assert!(output.push(vec![b'x'; 100], Instant::now()));
        }
        for _ in 0..1000 {
            assert!(matches!(output.next(after(1000)), Some(Reply::Line(..))));
        }
    }
    output.end(End::Closed);
    assert!(!output.push(Vec::new(), Instant::now()));
}

#[test]
fn failures_to_start_name_the_program() {
    let error = Process::start(&["/no/such engine".into()]).unwrap_err();
    assert!(error.contains("/no/such engine") && error.contains("No such file"), "{error}");
    assert!(Process::start(&["/".into()]).unwrap_err().contains("enied"));
    assert!(Process::start(&["a\0b".into()]).is_err());
    assert!(Process::start(&["sh".into(), "a\0b".into()]).is_err());
    assert_eq!(Process::start(&[]).unwrap_err(), "the command is empty");
}

#[test]
fn a_conversation_ends_by_quit() {
    within(10, || {
        let script = "while read -r l; do [ \"$l\" = quit ] && exit 7; echo \"<$l>\"; done";
        let mut process = shell(script);
        for number in 0..200 {
            let before = Instant::now();
            process.send(&format!("go {number}")).unwrap();
            match process.receive(after(5000)) {
                Reply::Line(line, at) => {
                    assert_eq!(line, format!("<go {number}>"));
                    assert!(before <= at && at <= Instant::now());
                }
                other => panic!("{other:?}"),
            }
        }
        process.quit(Duration::MAX);
        assert_eq!(code(&mut process), Some(7));
        assert_eq!(process.send("more"), Err(Gone));
    });
}

#[test]
fn the_end_of_input_alone_ends_a_program_too() {
    within(10, || {
        let mut process = shell("cat >&2; exit 4");
        process.quit(Duration::from_secs(5));
        assert_eq!(process.last_words(), "quit");
        assert_eq!(code(&mut process), Some(4));
    });
}

#[test]
fn a_hanging_program_times_out_and_is_killed() {
    within(10, || {
        let mut process = shell("trap '' TERM INT HUP; sleep 100; sleep 100");
        let start = Instant::now();
        assert_eq!(process.receive(after(300)), Reply::TimedOut);
        let waited = start.elapsed();
        assert!((300..3000).contains(&waited.as_millis()), "{waited:?}");
        let start = Instant::now();
        assert_eq!(process.receive(start), Reply::TimedOut);
        process.quit(Duration::from_millis(100));
        let status = process.ended.as_ref().and_then(|ended| ended.status);
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status.unwrap()), Some(9));
        process.kill();
        assert!(start.elapsed() < Duration::from_secs(2));
        assert_eq!(process.receive(after(5000)), Reply::Gone(status));
    });
}

#[test]
fn a_stopped_program_is_killed() {
    within(10, || {
        let mut process = shell("echo a; kill -STOP $$; echo b");
        assert_eq!(line(&mut process), "a");
        assert_eq!(process.receive(after(100)), Reply::TimedOut);
        process.kill();
        assert!(process.ended.is_some());
    });
}

#[test]
fn a_late_line_waits_for_a_later_call() {
    within(10, || {
        let mut process = shell("sleep 0.5; echo late; sleep 100");
        let until = after(100);
        assert_eq!(process.receive(until), Reply::TimedOut);
        thread::sleep(Duration::from_millis(1500));
        assert_eq!(process.receive(until), Reply::TimedOut);
        // It was there in time for this one, however late we ask.
        let until = Instant::now();
        thread::sleep(Duration::from_millis(100));
        assert!(
            matches!(process.receive(until), Reply::Line(line, at) if line == "late" && at < until)
        );
    });
}

#[test]
fn a_program_that_dies_at_once_is_gone() {
    within(10, || {
        let mut process = shell("echo 'no weights' >&2; exit 3");
        assert_eq!(code(&mut process), Some(3));
        assert_eq!(process.last_words(), "no weights");
        assert_eq!(code(&mut process), Some(3));
        assert_eq!(process.send("go"), Err(Gone));
        process.quit(Duration::from_secs(5));
        assert_eq!(code(&mut process), Some(3));
    });
}

#[test]
fn a_program_that_dies_unheard_takes_no_more_lines() {
    within(10, || {
        let mut process = shell("exit 0");
        assert!(wait(Duration::from_secs(5), || process.send("go") == Err(Gone)));
        assert_eq!(code(&mut process), Some(0));
    });
}

#[test]
fn a_program_that_dies_after_a_line_gives_it_first() {
    within(10, || {
        let mut process = shell("echo ready; exit 5");
        thread::sleep(Duration::from_millis(300));
        assert_eq!(line(&mut process), "ready");
        assert_eq!(code(&mut process), Some(5));
    });
}

#[test]
fn a_last_line_needs_no_end() {
    within(10, || {
        let mut process = shell("printf 'a\\r\\nb\\npart'; exit 6");
        assert_eq!([(); 3].map(|()| line(&mut process)), ["a", "b", "part"]);
        assert_eq!(code(&mut process), Some(6));
    });
}

#[test]
fn a_program_may_close_its_pipes_and_live() {
    within(10, || {
        let mut process = shell("exec >&- <&-; sleep 100");
        assert_eq!(process.receive(after(5000)), Reply::Gone(None));
        // The broken pipe shows once a line has been written to it.
        assert!(wait(Duration::from_secs(5), || process.send("go") == Err(Gone)));
        assert!(!process.has_ended());
    });
}

#[test]
fn a_line_without_end_is_too_long() {
    within(10, || {
        let mut process = shell("echo a; head -c 50000000 /dev/zero | tr '\\0' x; echo done >&2");
        assert_eq!(line(&mut process), "a");
        assert_eq!(process.receive(after(5000)), Reply::TooLong);
        assert_eq!(process.receive(after(5000)), Reply::TooLong);
        // Nobody reads the rest: its writer ends by the broken pipe.
        assert!(wait(Duration::from_secs(5), || process.has_ended()));
        process.kill();
        assert!(matches!(process.receive(after(0)), Reply::Gone(Some(_))));
    });
}

#[test]
fn unread_lines_are_a_flood() {
    for script in ["exec yes", "exec yes $(head -c 60000 /dev/zero | tr '\\0' x)"] {
        within(10, move || {
            let mut process = shell(script);
            // `yes` ends by the broken pipe, so nobody reads on.
            assert!(wait(Duration::from_secs(5), || process.has_ended()));
            assert_eq!(process.receive(after(0)), Reply::Flood);
            assert_eq!(process.receive(after(5000)), Reply::Flood);
        });
    }
}

#[test]
fn an_endless_talker_does_not_outrun_the_time() {
    within(10, || {
        let mut process = shell("exec yes info");
        let until = after(500);
        let mut lines = 0_u64;
        let end = loop {
            match process.receive(until) {
                Reply::Line(line, at) => assert!(line == "info" && at <= until),
                end => break end,
            }
            lines += 1;
        };
        assert!(matches!(end, Reply::TimedOut | Reply::Flood), "{end:?}");
        assert!(lines > 0 || end == Reply::Flood);
        assert!(Instant::now() < until + Duration::from_secs(2));
    });
}

#[test]
fn sending_never_waits_for_a_program_that_does_not_read() {
    within(10, || {
        let mut process = shell("echo a; sleep 100");
        let start = Instant::now();
        let kilobyte = "x".repeat(999);
        for _ in 0..1000 {
            process.send(&kilobyte).unwrap();
        }
        assert_eq!(line(&mut process), "a");
        let more = (0..10_000).take_while(|_| process.send(&kilobyte).is_ok()).count();
        assert!((7000..8000).contains(&more), "{more}");
        assert_eq!(process.send(""), Err(Gone));
        process.quit(Duration::from_millis(100));
        assert!(start.elapsed() < Duration::from_secs(4));
    });
}

#[test]
fn much_is_sent_to_a_program_that_reads_late() {
    within(10, || {
        let mut process = shell("sleep 0.3; wc -c");
        for _ in 0..1000 {
            process.send(&"x".repeat(999)).unwrap();
        }
        process.input = None;
        assert_eq!(line(&mut process).trim(), "1000000");
        assert_eq!(code(&mut process), Some(0));
    });
}

#[test]
fn what_is_not_text_is_passed_over() {
    within(10, || {
        let mut process = shell("printf 'a\\n\\377\\376\\nb\\n\\303'");
        assert_eq!(line(&mut process), "a");
        assert_eq!(process.receive(after(5000)), Reply::NotText);
        assert_eq!(line(&mut process), "b");
        assert_eq!(process.receive(after(5000)), Reply::NotText);
        assert_eq!(code(&mut process), Some(0));
    });
}

/// A file that a grandchild makes after two seconds if it still lives.
fn mark(name: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("process-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn the_group_dies_with_its_leader() {
    within(10, || {
        let path = mark("killed");
        let mut process = shell(&format!("(sleep 2; touch '{}') & echo a; wait", path.display()));
        assert_eq!(line(&mut process), "a");
        let start = Instant::now();
        drop(process);
        assert!(start.elapsed() < Duration::from_secs(1));
        thread::sleep(Duration::from_millis(3000));
        assert!(!path.exists());
    });
}

#[test]
fn a_dead_leader_is_gone_though_its_pipe_is_held() {
    within(10, || {
        let path = mark("orphan");
        let mut process = shell(&format!("(sleep 2; touch '{}') & echo a; exit 8", path.display()));
        assert_eq!(line(&mut process), "a");
        let start = Instant::now();
        assert_eq!(code(&mut process), Some(8));
        assert!(start.elapsed() < Duration::from_millis(1900));
        thread::sleep(Duration::from_millis(3000));
        assert!(!path.exists());
    });
}

#[test]
#[cfg(target_os = "linux")]
fn a_stranger_that_holds_the_pipes_is_not_waited_for() {
    within(8, || {
        let mut process = shell("setsid sleep 9 & sleep 0.2; echo a; exit 8");
        assert_eq!(line(&mut process), "a");
        let start = Instant::now();
        // Short waits see the end as well as a long one does.
        while process.receive(after(5)) == Reply::TimedOut {}
        assert_eq!(code(&mut process), Some(8));
        drop(process);
        let mut process = shell("setsid sleep 9 & sleep 0.2; echo a; exec sleep 9");
        assert_eq!(line(&mut process), "a");
        assert!(!process.tail_is_complete());
        process.kill();
        process.kill();
        assert!(matches!(process.receive(after(5000)), Reply::Gone(Some(_))));
        drop(process);
        assert!(start.elapsed() < Duration::from_secs(4));
    });
}

#[test]
fn standard_error_is_drained_and_its_end_kept() {
    within(10, || {
        let flood = "yes 0123456789 | head -c 22000000 >&2";
        let end = "printf 'aé\\377\\033[31m\\tz\\\\\\n\\n' >&2; echo done";
        let mut process = shell(&format!("{flood}; {end}"));
        assert_eq!(line(&mut process), "done");
        assert_eq!(code(&mut process), Some(0));
        let words = process.last_words();
        assert!(words.ends_with("\\n0123456789\\naé\u{fffd}\\u{1b}[31m\\tz\\"), "{words}");
        assert!((390..=400).contains(&words.chars().count()));
        assert!(!words.chars().any(char::is_control));
        assert!(lock(&process.tail).len() <= 4096);
    });
}

#[test]
fn silence_has_no_last_words() {
    within(10, || {
        let mut process = shell("exit 0");
        process.kill();
        assert_eq!(process.last_words(), "");
    });
}
