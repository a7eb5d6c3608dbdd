//! Numbers and texts as reports show them.

/// A number with commas between thousands.
#[must_use]
pub fn grouped(number: f64, digits: usize) -> String {
    let plain = format!("{:.digits$}", number.abs());
    let (whole, rest) =
        plain.split_once('.').map_or((plain.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut text = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if let Some(rest) = rest {
        text.push('.');
        text.push_str(rest);
    }
    let is_zero = plain.chars().all(|digit| digit == '0' || digit == '.');
    if number < 0.0 && !is_zero { format!("-{text}") } else { text }
}

/// A text in HTML or SVG.
#[must_use]
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(1234567.0, 0), "1,234,567");
        assert_eq!(grouped(-1234.56, 1), "-1,234.6");
        assert_eq!(grouped(-0.01, 1), "0.0");
        assert_eq!(grouped(999.0, 0), "999");
    }
}
