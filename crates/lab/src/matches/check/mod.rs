//! What is wrong with an engine: a scripted conversation, and an explanation of
//! each thing that did not go as it must.
//!
//! Whatever the engine does - sleep, die, print without end, never start - the
//! conversation comes to its end.

mod positions;
mod script;
mod talk;

use serde::Serialize;

use script::CHECKS;
use talk::Talk;
pub use talk::Terms;

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub check: &'static str,
    /// Whether an engine must pass it.
    pub required: bool,
    /// How it did.
    pub verdict: Verdict,
    /// What was seen, or what is wrong.
    pub says: String,
}

/// How an engine did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// As it must, or should.
    Pass,
    /// Not as it must.
    Fail,
    /// Not as it should: it would play better otherwise.
    Advice,
    /// It never came to that.
    Untried,
}

impl Verdict {
    /// As it is printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "FAIL",
            Verdict::Advice => "advice",
            Verdict::Untried => "untried",
        }
    }
}

/// The longest name of a check, in letters.
#[must_use]
pub fn longest_name() -> usize {
    CHECKS.iter().map(|check| check.name.len()).max().unwrap_or(0)
}

/// Checks an engine and hands each finding to `see`. Says whether it did all that
/// it must.
pub fn check(command: &[String], terms: Terms<'_>, see: &mut dyn FnMut(&Finding)) -> bool {
    let mut talk = Talk::new(command, terms);
    let (mut holds, mut never) = (true, None);
    for check in &CHECKS {
        let over = never.or_else(|| talk.is_over());
        let (verdict, says) = match over {
            Some(why) => (Verdict::Untried, why.to_owned()),
            None => match (check.run)(&mut talk) {
                Ok(seen) => (Verdict::Pass, seen),
                Err(why) if talk.is_interrupted() => (Verdict::Untried, why),
                Err(why) if check.required => (Verdict::Fail, why),
                Err(why) => (Verdict::Advice, why),
            },
        };
        holds &= matches!(verdict, Verdict::Pass | Verdict::Advice);
        if check.name == CHECKS[0].name && verdict != Verdict::Pass {
            never = Some("it was never ready");
        }
        see(&Finding { check: check.name, required: check.required, verdict, says });
    }
    holds
}

#[cfg(all(test, unix))]
mod tests;
