//! How a run of SP-MCTS is divided into searches, and the budget among them.

use solitree_core::Budget;

use super::config::{Control, SpMctsConfig};
use super::table::ENTRY_BYTES;

/// Memory for trees and tables when nobody says how much: 2 GiB.
const DEFAULT_MEMORY: u64 = 2 << 30;

/// The most searches that can be advanced together.
pub(super) const MAX_ABREAST: usize = 64;

/// One worker's part of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The number of this worker, from 0.
    pub(super) worker: u64,
    /// How many workers there are.
    pub(super) workers: u64,
    /// Searches in all (games, with control=move); none for no end.
    pub(super) searches: Option<u64>,
    /// Those of this worker; where there is no end, those that fit the budget.
    own: u64,
    /// How many of them run abreast.
    pub(super) abreast: u64,
    /// Nodes of each search, where they are counted.
    pub(super) nodes_each: Option<u64>,
    /// The share of the budget that each search gets, where nodes are not.
    pub(super) share_each: f64,
    /// Bytes for the tree of each.
    pub(super) memory_each: u64,
    /// Entries of the table.
    pub(super) table_entries: u64,
}

impl Plan {
    pub(super) fn new(
        config: &SpMctsConfig,
        budget: &Budget,
        preferred_batch: u64,
        worker: u64,
        workers: u64,
    ) -> Plan {
        // Without restarts there is one tree for each worker.
        let one_tree =
            config.restarts == 0 && config.search_nodes == 0 && config.control == Control::Game;
        let searches = match config.restarts {
            _ if one_tree => Some(workers),
            0 => None,
            restarts => Some(restarts.max(workers)),
        };
        // Where there is no end, no more at a time than a budget has room for.
        let room = budget.nodes.or(budget.playouts).unwrap_or(u64::MAX) / workers;
        let room = (room / config.search_nodes.max(1)).max(1);
        let own = searches.map_or(room, |searches| (searches - worker).div_ceil(workers));
        let wanted = if config.abreast == 0 { preferred_batch } else { config.abreast };
        // Several playouts from a leaf fill a batch by themselves, and what a
        // table hands on must not depend on who is abreast of whom.
        let alone = config.leaf_playouts > 1 || config.table > 0;
        let abreast = if alone { 1 } else { wanted.clamp(1, own) };
        let rounds = if searches.is_some() { own.div_ceil(abreast) as f64 } else { 1.0 };
        let moves = if config.control == Control::Move { config.game_length } else { 1.0 };
        let nodes_each = match (config.search_nodes, budget.nodes) {
            (0, Some(nodes)) if config.control == Control::Move || config.restarts > 1 => {
                let parts = searches.unwrap_or(1) as f64 * moves;
                Some(((nodes as f64 / parts) as u64).max(1))
            }
            (0, _) => None,
            (nodes, _) => Some(nodes),
        };
        let memory = budget.memory.unwrap_or(DEFAULT_MEMORY) / workers;
        let table_entries = config.table.min(memory / 2 / ENTRY_BYTES);
        Plan {
            worker,
            workers,
            searches,
            own,
            abreast,
            nodes_each,
            share_each: 1.0 / (rounds * moves),
            memory_each: (memory - table_entries * ENTRY_BYTES) / abreast,
            table_entries,
        }
    }

    /// How much of a shared budget this worker needs beside the others, which
    /// may have more or fewer searches to make.
    pub(super) fn weight(&self) -> u64 {
        if self.searches.is_some() { self.own } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(config: &SpMctsConfig, nodes: Option<u64>, worker: u64, workers: u64) -> Plan {
        let budget = Budget { nodes, ..Budget::default() };
        Plan::new(config, &budget, 6, worker, workers)
    }

    #[test]
    fn restarts_share_the_nodes() {
        let config = SpMctsConfig { restarts: 10, ..SpMctsConfig::default() };
        let plan = plan(&config, Some(500_000), 0, 1);
        assert_eq!((plan.nodes_each, plan.abreast, plan.searches), (Some(50_000), 6, Some(10)));
    }

    #[test]
    fn workers_share_the_restarts() {
        let config = SpMctsConfig { restarts: 7, ..SpMctsConfig::default() };
        let weights: Vec<u64> =
            (0..3).map(|worker| plan(&config, None, worker, 3).weight()).collect();
        assert_eq!(weights, [3, 2, 2]);
        // Fewer restarts than workers: each still has a tree of its own.
        let one = SpMctsConfig::default();
        assert_eq!(plan(&one, Some(1_000), 2, 3).searches, Some(3));
    }

    #[test]
    fn no_more_searches_abreast_than_the_budget_has_room_for() {
        let config = SpMctsConfig { restarts: 0, search_nodes: 50_000, ..SpMctsConfig::default() };
        assert_eq!(plan(&config, Some(200_000), 0, 1).abreast, 4);
        assert_eq!(plan(&config, Some(1_000), 0, 1).abreast, 1);
        assert_eq!(plan(&config, None, 0, 1).abreast, 6);
    }

    #[test]
    fn moves_share_a_game() {
        let config =
            SpMctsConfig { control: Control::Move, game_length: 50.0, ..SpMctsConfig::default() };
        assert_eq!(plan(&config, Some(100_000), 0, 1).nodes_each, Some(2_000));
        assert_eq!(plan(&config, None, 0, 1).share_each, 0.02);
        // Two threads play two games, each with half of the nodes.
        assert_eq!(plan(&config, Some(100_000), 1, 2).nodes_each, Some(1_000));
    }

    #[test]
    fn trees_and_table_fit_the_memory() {
        let config = SpMctsConfig {
            restarts: 0,
            search_nodes: 100,
            table: 1 << 30,
            ..SpMctsConfig::default()
        };
        let budget = Budget { memory: Some(600 << 20), ..Budget::default() };
        let plan = Plan::new(&config, &budget, 6, 0, 2);
        assert!(plan.table_entries * ENTRY_BYTES + plan.memory_each * plan.abreast <= 300 << 20);
        assert!(plan.memory_each > 20 << 20);
    }
}
