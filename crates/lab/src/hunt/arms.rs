//! What is tried next: the boards and methods that still improve.

use std::collections::HashMap;

use super::{HuntMethod, Prey};

/// Points that are expected of a method on a board before it was tried.
const HOPE: f64 = 200.0;
/// How much the last attempt counts beside all before.
const LAST: f64 = 0.3;

/// Every method on every board is an arm; what it is expected to gain is a mean
/// of what it gained, the last attempts counting most.
#[derive(Clone, Debug, Default)]
pub struct Arms {
    arms: HashMap<(Prey, String), Arm>,
}

#[derive(Clone, Copy, Debug)]
struct Arm {
    hope: f64,
    attempts: u64,
}

impl Default for Arm {
    fn default() -> Self {
        Arm { hope: HOPE, attempts: 0 }
    }
}

impl Arms {
    /// Takes note of an attempt.
    pub(super) fn saw(&mut self, prey: &Prey, by: &str, gain: i64) {
        let arm = self.arms.entry((prey.clone(), by.to_owned())).or_default();
        arm.hope += LAST * (gain as f64 - arm.hope);
        arm.attempts += 1;
    }

    /// The board and method with the most hope; of equal ones the one tried least,
    /// then the first. A method that begins with the best line needs one.
    #[must_use]
    pub fn next<'a>(
        &self,
        boards: &'a [Prey],
        methods: &'a [HuntMethod],
        has_line: impl Fn(&Prey) -> bool,
    ) -> Option<(&'a Prey, &'a HuntMethod)> {
        let mut best: Option<(Arm, (&Prey, &HuntMethod))> = None;
        for method in methods {
            for prey in boards {
                if method.from_best && !has_line(prey) {
                    continue;
                }
                let key = (prey.clone(), method.to_string());
                let arm = self.arms.get(&key).copied().unwrap_or_default();
                let beats = |other: &Arm| {
                    arm.hope > other.hope || arm.hope == other.hope && arm.attempts < other.attempts
                };
                if best.as_ref().is_none_or(|(other, _)| beats(other)) {
                    best = Some((arm, (prey, method)));
                }
            }
        }
        best.map(|(_, choice)| choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_tried_and_then_what_gains() {
        let boards: Vec<Prey> = ["one", "two"].map(|name| (name.to_owned(), None)).into();
        let methods: Vec<HuntMethod> =
            ["portfolio", "+lns"].map(|text| text.parse().unwrap()).into();
        let mut arms = Arms::default();
        let mut tried = Vec::new();
        let mut known: Vec<Prey> = Vec::new();
        for _ in 0..12 {
            let (prey, method) = arms.next(&boards, &methods, |prey| known.contains(prey)).unwrap();
            tried.push(format!("{} {method}", prey.0));
            // Only repairs of the second board gain anything.
            let gain = if prey.0 == "two" && method.from_best { 50 } else { 0 };
            arms.saw(prey, &method.to_string(), gain);
            known.push(prey.clone());
        }
        assert_eq!(tried[..2], ["one portfolio", "two portfolio"]);
        let count = |what: &str| tried.iter().filter(|tried| *tried == what).count();
        assert!(count("two +lns") > count("one +lns"), "{tried:?}");
        assert!(count("two +lns") > count("two portfolio"), "{tried:?}");
    }
}
