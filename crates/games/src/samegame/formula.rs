//! Whole-number formulas of one variable, such as `(n-2)^2` or `n(n-1)`.
//!
//! Grammar: sums of products of powers; `max(a,b)` and `min(a,b)`; a factor
//! beside another is multiplied with it.

/// A parsed formula.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    Number(i64),
    Variable,
    Binary(Operator, Box<Formula>, Box<Formula>),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Power,
    Max,
    Min,
}

/// Where a formula goes wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {what}")]
pub struct FormulaError {
    column: usize,
    what: String,
}

/// Parentheses and signs may nest this deep.
const MAX_DEPTH: usize = 64;
/// No formula is longer; its tree is then never too deep to walk.
const MAX_LENGTH: usize = 500;

impl Formula {
    /// Reads a formula of the variable (none if it is empty).
    pub(super) fn parse(text: &str, variable: &str) -> Result<Formula, FormulaError> {
        if text.len() > MAX_LENGTH {
            let what = format!("longer than {MAX_LENGTH} characters");
            return Err(FormulaError { column: MAX_LENGTH + 1, what });
        }
        let mut parser = Parser { text, at: 0, variable, depth: 0 };
        let formula = parser.sum()?;
        match parser.peek() {
            None => Ok(formula),
            Some(c) => Err(parser.error(format!("unexpected '{c}'"))),
        }
    }

    /// The value, unless it overflows.
    pub(super) fn value(&self, at: i64) -> Option<i64> {
        match self {
            Formula::Number(number) => Some(*number),
            Formula::Variable => Some(at),
            Formula::Binary(operator, left, right) => {
                let (left, right) = (left.value(at)?, right.value(at)?);
                match operator {
                    Operator::Add => left.checked_add(right),
                    Operator::Subtract => left.checked_sub(right),
                    Operator::Multiply => left.checked_mul(right),
                    Operator::Power => left.checked_pow(u32::try_from(right).ok()?),
                    Operator::Max => Some(left.max(right)),
                    Operator::Min => Some(left.min(right)),
                }
            }
        }
    }
}

fn binary(operator: Operator, left: Formula, right: Formula) -> Formula {
    Formula::Binary(operator, Box::new(left), Box::new(right))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    variable: &'a str,
    depth: usize,
}

impl Parser<'_> {
    fn error(&self, what: String) -> FormulaError {
        FormulaError { column: self.text[..self.at].chars().count() + 1, what }
    }

    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), FormulaError> {
        if self.take(wanted) { Ok(()) } else { Err(self.error(format!("expected '{wanted}'"))) }
    }

    fn sum(&mut self) -> Result<Formula, FormulaError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("too deeply nested".to_owned()));
        }
        let mut formula = if self.take('-') {
            binary(Operator::Subtract, Formula::Number(0), self.product()?)
        } else {
            self.product()?
        };
        loop {
            if self.take('+') {
                formula = binary(Operator::Add, formula, self.product()?);
            } else if self.take('-') {
                formula = binary(Operator::Subtract, formula, self.product()?);
            } else {
                self.depth -= 1;
                return Ok(formula);
            }
        }
    }

    fn product(&mut self) -> Result<Formula, FormulaError> {
        let mut formula = self.power()?;
        loop {
            let beside = self.peek().is_some_and(|c| c == '(' || c.is_alphanumeric());
            if self.take('*') || beside {
                formula = binary(Operator::Multiply, formula, self.power()?);
            } else {
                return Ok(formula);
            }
        }
    }

    fn power(&mut self) -> Result<Formula, FormulaError> {
        let base = self.atom()?;
        if self.take('^') { Ok(binary(Operator::Power, base, self.atom()?)) } else { Ok(base) }
    }

    fn atom(&mut self) -> Result<Formula, FormulaError> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let inner = self.sum()?;
                self.expect(')')?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() => {
                let rest = &self.text[self.at..];
                let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let number =
                    rest[..len].parse().map_err(|_| self.error("number too large".to_owned()))?;
                self.at += len;
                Ok(Formula::Number(number))
            }
            Some(c) if c.is_alphabetic() => {
                let rest = &self.text[self.at..];
                let len = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
                let name = &rest[..len];
                let operator = match name {
                    "max" => Operator::Max,
                    "min" => Operator::Min,
                    _ if !name.is_empty() && name == self.variable => {
                        self.at += len;
                        return Ok(Formula::Variable);
                    }
                    _ => return Err(self.error(format!("unknown name '{name}'"))),
                };
                self.at += len;
                self.expect('(')?;
                let left = self.sum()?;
                self.expect(',')?;
                let right = self.sum()?;
                self.expect(')')?;
                Ok(binary(operator, left, right))
            }
            Some(c) => Err(self.error(format!("unexpected '{c}'"))),
            None => Err(self.error("the formula ends too early".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, n: i64) -> Option<i64> {
        Formula::parse(text, "n").unwrap().value(n)
    }

    #[test]
    fn computes() {
        assert_eq!(value("(n-2)^2", 7), Some(25));
        assert_eq!(value("-(n-2)^2", 7), Some(-25));
        assert_eq!(value("n(n-1)", 7), Some(42));
        assert_eq!(value("n^2 - n", 7), Some(42));
        assert_eq!(value("2n+3*n-1", 7), Some(34));
        assert_eq!(value("max(n-2,0)^2", 1), Some(0));
        assert_eq!(value("min(n, 3)", 7), Some(3));
        assert_eq!(value("10-2-3", 0), Some(5));
        assert_eq!(value("9^99", 0), None);
    }

    #[test]
    fn names_the_column_of_a_mistake() {
        let message = |text: &str| Formula::parse(text, "n").unwrap_err().to_string();
        assert_eq!(message(""), "column 1: the formula ends too early");
        assert_eq!(message("(n-2"), "column 5: expected ')'");
        assert_eq!(message("n-?"), "column 3: unexpected '?'");
        assert_eq!(message("2n)"), "column 3: unexpected ')'");
        assert_eq!(message("m+1"), "column 1: unknown name 'm'");
        assert_eq!(message("max(1 2)"), "column 8: expected ','");
        assert_eq!(message(&"(".repeat(100)), "column 65: too deeply nested");
        assert_eq!(message(&"n+".repeat(300)), "column 501: longer than 500 characters");
    }
}
