//! Every search passes one suite, and each has claims of its own.
//!
//! One program for all of them: the searches are compiled for the suite's
//! puzzles once.

mod suite;

mod a_star;
mod anneal;
mod beam;
mod branch_and_bound;
mod dbs;
mod domains;
mod ida_star;
mod mc_rws;
mod nmcs;
mod nrpa;
mod parallel_mcts;
mod policy_alone;
mod policy_beam;
mod policy_mcts;
mod policy_nrpa;
mod portfolio;
mod sp_mcts;
mod value_beam;
