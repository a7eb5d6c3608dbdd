use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::*;

/// What is found out about a shell script.
fn found(script: &str) -> (bool, Vec<Finding>) {
    let command = ["sh", "-c", script].map(str::to_owned);
    let interrupt = AtomicBool::new(false);
    let (start, margin) = (Duration::from_millis(700), Duration::from_millis(500));
    let (mut findings, begun) = (Vec::new(), Instant::now());
    let terms = Terms { start, margin, interrupt: &interrupt };
    let holds = check(&command, terms, &mut |finding| findings.push(finding.clone()));
    assert_eq!(findings.len(), CHECKS.len());
    assert!(begun.elapsed() < Duration::from_secs(30), "{script}: {:?}", begun.elapsed());
    (holds, findings)
}

fn of<'a>(findings: &'a [Finding], name: &str) -> &'a Finding {
    findings.iter().find(|finding| finding.check == name).expect(name)
}

/// Reads lines for ever: `new` is answered, and `go` in some way.
fn engine(go: &str) -> String {
    format!(
        "while read -r word rest; do case $word in new) echo ready;; go) {go};; quit) exit 0;; \
         esac; done"
    )
}

#[test]
fn what_never_starts_is_told() {
    let command = ["/no/such/engine".to_owned()];
    let interrupt = AtomicBool::new(false);
    let second = Duration::from_secs(1);
    let mut findings = Vec::new();
    let terms = Terms { start: second, margin: second, interrupt: &interrupt };
    assert!(!check(&command, terms, &mut |finding| findings.push(finding.clone())));
    assert_eq!(findings[0].verdict, Verdict::Fail);
    assert!(findings[0].says.contains("/no/such/engine"), "{}", findings[0].says);
    assert!(findings[1..].iter().all(|finding| finding.verdict == Verdict::Untried));
}

#[test]
fn the_dead_the_silent_and_the_loud_are_told_apart() {
    for (script, said) in [
        ("echo no weights >&2; exit 3", "no weights"),
        ("sleep 60", "no answer"),
        ("exec yes", "'y' in answer to new"),
        ("exec yes info", ""),
        ("head -c 3000000 /dev/zero | tr '\\0' x; sleep 60", "a line without end"),
        ("printf '\\377\\376\\n'; sleep 60", "not text"),
    ] {
        let (holds, findings) = found(script);
        assert!(!holds && findings[0].verdict == Verdict::Fail, "{script}: {findings:?}");
        assert!(findings[0].says.contains(said), "{script}: {}", findings[0].says);
        assert!(findings[1..].iter().all(|finding| finding.verdict == Verdict::Untried));
    }
}

#[test]
fn a_stubborn_engine_is_told_what_is_not_legal() {
    let (holds, findings) = found(&engine("echo info same as ever; echo move 3o"));
    assert!(!holds);
    let fails = |name: &str, part: &str| {
        let finding = of(&findings, name);
        assert_eq!(finding.verdict, Verdict::Fail, "{finding:?}");
        assert!(finding.says.contains(part), "{finding:?}");
    };
    let passes = |name: &str| assert_eq!(of(&findings, name).verdict, Verdict::Pass, "{name}");
    ["ready", "first move", "second move", "50 ms", "nonsense"].into_iter().for_each(passes);
    fails("one column left", "move 3o is not legal, the column is full; after 5o 1s 3o");
    fails("any history", "the column is full");
    fails("a game as White", "move 3o is not legal");
    assert_eq!(of(&findings, "takes a win").verdict, Verdict::Advice);
    assert!(of(&findings, "takes a win").says.contains("where 3s wins at once"));
    passes("quit and end of input");
}

#[test]
fn answers_that_are_wrong_are_quoted() {
    let (_, findings) = found(&engine("echo bestmove 3o"));
    assert!(of(&findings, "first move").says.contains("'bestmove 3o' in answer to go"));
    let (_, findings) = found(&engine("echo forfeit tired"));
    assert!(of(&findings, "first move").says.contains("it gave the game up: tired"));
    let (_, findings) = found(&engine("echo move 3x"));
    assert!(of(&findings, "first move").says.contains("'move 3x'"));
    let (_, findings) = found(&engine("echo move 3o; echo by the way"));
    let finding = of(&findings, "one answer each");
    assert_eq!(finding.verdict, Verdict::Fail);
    assert!(finding.says.contains("'by the way' came unasked"), "{finding:?}");
}

#[test]
fn late_and_missing_answers_are_timed() {
    let once = "if [ -z \"$slow\" ]; then slow=1; sleep 0.8; fi; echo move 3o";
    let (_, findings) = found(&engine(once));
    let late = &of(&findings, "first move").says;
    assert!(late.contains("came after 8") && late.contains("200.0 ms were allowed"), "{late}");
    // Three answers that never came are enough.
    let (_, findings) = found(&engine("sleep 60"));
    let count = |verdict| findings.iter().filter(|finding| finding.verdict == verdict).count();
    assert_eq!((count(Verdict::Pass), count(Verdict::Fail)), (1, 3), "{findings:?}");
}

#[test]
fn one_that_does_not_end_or_dies_of_nonsense_is_told() {
    let deaf = "trap '' TERM; while :; do read -r word rest || sleep 1; case $word in \
                new) echo ready;; go) echo move 3o;; esac; done";
    let finding = |script: &str, name: &str| of(&found(script).1, name).clone();
    let ends = finding(deaf, "quit and end of input");
    assert!(ends.says.starts_with("it still runs 100") && ends.says.ends_with("after quit"));
    let touchy = "while read -r word rest; do case $word in new) echo ready;; go) echo move 3o;; \
                  *) exit 9;; esac; done";
    let dies = finding(touchy, "nonsense");
    assert_eq!(dies.verdict, Verdict::Fail);
    assert!(dies.says.contains("lines that mean nothing"), "{dies:?}");
}

#[test]
fn an_interrupt_ends_it() {
    let interrupt = AtomicBool::new(true);
    let second = Duration::from_secs(1);
    let command = ["sleep".to_owned(), "60".to_owned()];
    let terms = Terms { start: second, margin: second, interrupt: &interrupt };
    let mut untried = 0;
    check(&command, terms, &mut |finding| {
        untried += usize::from(finding.verdict == Verdict::Untried);
    });
    assert_eq!(untried, CHECKS.len());
}
