//! What went wrong, in one line, and the exit code for it.

use std::process::ExitCode;

/// Something a user can be told about.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The asked condition failed: exit 1.
    #[error("{0}")]
    Condition(String),
    /// Wrong usage: an unknown board, algorithm, key or value. Exit 2.
    #[error("{0}")]
    Usage(String),
    /// A file or stream that cannot be read or parsed: exit 3.
    #[error("{0}")]
    Input(String),
}

impl Failure {
    /// Wrong usage, in the words of another error.
    pub fn usage(error: impl std::fmt::Display) -> anyhow::Error {
        Failure::Usage(error.to_string()).into()
    }

    /// Input that cannot be used, in the words of another error.
    pub fn input(error: impl std::fmt::Display) -> anyhow::Error {
        Failure::Input(error.to_string()).into()
    }
}

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
