//! Errors for people, each with its exit code.

use std::process::ExitCode;

use solitree_lab::Failure;

/// Prints an error and chooses the exit code.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    crate::output::message(&format!("error: {error:#}"));
    ExitCode::from(match error.downcast_ref() {
        Some(Failure::Condition(_)) => 1,
        Some(Failure::Usage(_)) => 2,
        Some(Failure::Input(_)) => 3,
        None if error.downcast_ref::<std::io::Error>().is_some() => 3,
        None => 4,
    })
}

/// Says that the fault is ours.
pub fn report_bug() -> ExitCode {
    let command: Vec<String> = std::env::args().collect();
    crate::output::message(&format!(
        "error: this is a bug in solitree {}. Please report it with the message above and this \
         command:\n  {}",
        crate::output::VERSION,
        command.join(" ")
    ));
    ExitCode::from(4)
}

/// A reader that has seen enough is no failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |cause: &std::io::Error| cause.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().filter_map(|cause| cause.downcast_ref()).any(broken)
}
