//! What a setting gets of an experiment's threads and budgets.

use std::collections::BTreeSet;

use solitree_core::Budget;

use super::spec::{Setting, Spec};

impl Setting {
    /// Its part of a budget, alone on a board: of what is counted, not of time.
    pub(super) fn share(&self, budget: &Budget) -> Budget {
        let part = self.part.unwrap_or(1.0);
        let of = |count: u64| ((count as f64 * part).round() as u64).max(1);
        Budget { playouts: budget.playouts.map(of), nodes: budget.nodes.map(of), ..budget.clone() }
    }
}

impl Spec {
    /// The threads of a setting's runs.
    pub(super) fn threads_of(&self, setting: &Setting) -> u64 {
        setting.threads.unwrap_or(self.threads)
    }

    /// The numbers of threads that settings have, the least first.
    pub(super) fn thread_counts(&self) -> BTreeSet<u64> {
        self.settings.iter().map(|setting| self.threads_of(setting)).collect()
    }

    /// The same, for people.
    pub(crate) fn threads_in_words(&self) -> String {
        let counts: Vec<String> = self.thread_counts().iter().map(ToString::to_string).collect();
        counts.join(" or ")
    }

    /// Whether parts and threads can be.
    pub(super) fn check_shares(&self) -> Result<(), String> {
        for Setting { name, part, threads, .. } in &self.settings {
            if let Some(part) = part.filter(|part| !(*part > 0.0 && *part <= 1.0)) {
                return Err(format!(
                    "setting '{name}': part = {part}: expected more than 0, and 1 at most"
                ));
            }
            if let Some(threads) = threads.filter(|threads| !(1..=1024).contains(threads)) {
                return Err(format!("setting '{name}': threads = {threads}: expected 1 to 1024"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_slow_setting_gets_a_part_of_what_is_counted() {
        let setting: Setting =
            toml::from_str("name = 'slow'\nalgorithm = 'mc-beam'\npart = 0.004").unwrap();
        let (time, nodes) = (Some(Duration::from_secs(3)), Some(10));
        let budget = Budget { time, nodes, playouts: Some(1_000), ..Budget::default() };
        let share = setting.share(&budget);
        assert_eq!((share.time, share.nodes, share.playouts), (time, Some(1), Some(4)));
    }
}
