//! What went wrong, in one line, and whose turn it is.

/// Something a user can be told about.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The asked condition failed.
    #[error("{0}")]
    Condition(String),
    /// Wrong usage: an unknown board, algorithm, key or value.
    #[error("{0}")]
    Usage(String),
    /// A file or stream that cannot be read, written or parsed, or a device that is
    /// missing.
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
