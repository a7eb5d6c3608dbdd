//! TOML files, with errors in one line.

use serde::de::DeserializeOwned;

/// Reads a file's text; the error says where it is wrong.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| {
        let message = error.message().replace('\n', " ");
        match error.span() {
            None => message,
            Some(span) => {
                let before = &text[..span.start.min(text.len())];
                let line = before.matches('\n').count() + 1;
                let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
                format!("line {line}, column {column}: {message}")
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Small {
        #[allow(dead_code)]
        size: u64,
    }

    #[test]
    fn errors_say_where() {
        let error = parse::<Small>("# a remark\nsize = 3\nsise = 4\n").unwrap_err();
        assert!(error.starts_with("line 3, column 1: unknown field `sise`"), "{error}");
        let error = parse::<Small>("size = \"x\"").unwrap_err();
        assert!(error.starts_with("line 1, column 8: "), "{error}");
        assert!(!error.contains('\n'));
    }
}
