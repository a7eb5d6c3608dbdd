//! Command lines without a shell.

/// Splits a command line into the program and its arguments at white space.
/// Single quotes keep everything; double quotes keep all but `\"` and `\\`; a
/// backslash elsewhere keeps the next character. No shell is involved.
pub fn split_command(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\r' | '\n' => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        None => return Err(format!("unclosed {letter} in the command: {text}")),
                        Some(end) if end == letter => break,
                        Some('\\') if letter == '"' => {
                            word.push(letters.next_if(|c| matches!(c, '"' | '\\')).unwrap_or('\\'));
                        }
                        Some(inner) => word.push(inner),
                    }
                }
            }
            '\\' => match letters.next() {
                None => return Err(format!("the command ends with a lone backslash: {text}")),
                Some(next) => word.get_or_insert_default().push(next),
            },
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    match words.first() {
        Some(program) if !program.is_empty() => Ok(words),
        _ => Err("the command is empty".into()),
    }
}
