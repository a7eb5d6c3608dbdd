//! UCT on ColorShapeLinks on one core, beside the crate `treant` on the same rules
//! and with the same playouts: iterations a second and bytes an iteration.
//!
//! `cargo bench -p solitree-search --bench two_players`.
#![allow(clippy::print_stdout)]

use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::cell::RefCell;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use solitree_core::{Game, Manner, Outcome, Player, Rng};
use solitree_games::colorshapelinks::{Layout, Placement, SmallGame};
use solitree_search::thinker::Thinker;
use solitree_search::uct::{Uct, UctConfig};
use treant::tree_policy::UCTPolicy;
use treant::{Evaluator, GameState, MCTS, MCTSManager, SearchHandle};

/// Iterations of a search, and how many of them are the last ones.
const ITERATIONS: u64 = 2_000_000;
const LAST: u64 = 200_000;

/// Counts the bytes that are taken.
struct Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, memory: Memory) -> *mut u8 {
        TAKEN.fetch_add(memory.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(memory) }
    }

    unsafe fn dealloc(&self, at: *mut u8, memory: Memory) {
        TAKEN.fetch_sub(memory.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, memory) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn game() -> SmallGame {
    SmallGame::new(Layout::default()).expect("the base board")
}

/// Prints how fast a search was, which is advanced by so many iterations a call.
fn report(name: &str, before: usize, mut advance: impl FnMut(u64)) {
    let begin = Instant::now();
    advance(ITERATIONS - LAST);
    let late = Instant::now();
    advance(LAST);
    let rate = |iterations: u64, since: Instant| iterations as f64 / since.elapsed().as_secs_f64();
    let (all, last) = (rate(ITERATIONS, begin), rate(LAST, late));
    let bytes = (TAKEN.load(Ordering::Relaxed) - before) as f64 / ITERATIONS as f64;
    println!("{name:<24} {:>8.2} {:>8.2} {bytes:>8.0}", all / 1e6, last / 1e6);
}

fn ours(name: &str, c: f64) {
    let before = TAKEN.load(Ordering::Relaxed);
    let config = UctConfig { c, ..UctConfig::default() };
    let mut uct = Uct::new(&game(), &config, 1, 1 << 30);
    uct.begin(&[]);
    report(name, before, |iterations| assert!(uct.step(iterations)));
    println!("{:<24} {:>26.0} bytes of them in use", "", uct.bytes_per_iteration());
}

/// The game as `treant` wants it.
#[derive(Clone)]
struct Position {
    state: <SmallGame as Game>::State,
    game: &'static SmallGame,
}

impl GameState for Position {
    type Move = Placement;
    type Player = usize;
    type MoveList = Vec<Placement>;

    fn current_player(&self) -> usize {
        self.game.to_move(&self.state) as usize
    }

    fn available_moves(&self) -> Vec<Placement> {
        let mut moves = Vec::with_capacity(14);
        self.game.moves(&self.state, &mut moves);
        moves
    }

    fn make_move(&mut self, mv: &Placement) {
        self.game.play(&mut self.state, *mv);
    }
}

/// A random playout from every new position, with our own playouts.
struct Playouts;

thread_local! {
    static RNG: RefCell<Rng> = const { RefCell::new(Rng::new(1)) };
}

impl Evaluator<Search> for Playouts {
    /// What the first player gets.
    type StateEvaluation = i64;

    fn evaluate_new_state(
        &self,
        position: &Position,
        moves: &Vec<Placement>,
        _: Option<SearchHandle<Search>>,
    ) -> (Vec<()>, i64) {
        let outcome =
            RNG.with_borrow_mut(|rng| position.game.finish(&position.state, Manner::Random, rng));
        let value = match outcome {
            Outcome::Won(Player::First) => 1,
            Outcome::Won(Player::Second) => -1,
            Outcome::Draw => 0,
        };
        (vec![(); moves.len()], value)
    }

    fn evaluate_existing_state(&self, _: &Position, value: &i64, _: SearchHandle<Search>) -> i64 {
        *value
    }

    fn interpret_evaluation_for_player(&self, value: &i64, player: &usize) -> i64 {
        if *player == 0 { *value } else { -*value }
    }
}

#[derive(Default)]
struct Search;

impl MCTS for Search {
    type State = Position;
    type Eval = Playouts;
    type NodeData = ();
    type ExtraThreadData = ();
    type TreePolicy = UCTPolicy;
    type TranspositionTable = ();

    fn node_limit(&self) -> usize {
        usize::MAX
    }
}

fn theirs(name: &str, c: f64) {
    let game: &'static SmallGame = Box::leak(Box::new(game()));
    let before = TAKEN.load(Ordering::Relaxed);
    let position = Position { state: game.start(), game };
    let mut search = MCTSManager::new(position, Search, Playouts, UCTPolicy::new(c), ());
    report(name, before, |iterations| search.playout_n(iterations));
}

fn playouts() {
    let (game, mut rng) = (game(), Rng::new(1));
    let (start, count) = (game.start(), 10_000_000);
    let begin = Instant::now();
    for _ in 0..count {
        black_box(game.finish(black_box(&start), Manner::Random, &mut rng));
    }
    let rate = f64::from(count) / begin.elapsed().as_secs_f64();
    println!("random playouts from the empty base board: {:.2} million a second", rate / 1e6);
}

fn main() {
    playouts();
    println!("{:<24} {:>8} {:>8} {:>8}", "millions a second", "of 2 M", "at 2 M", "bytes");
    // `treant` counts a win as 1 and a loss as -1: twice the constant is the same.
    ours("ours, C = 0.24", 0.24);
    theirs("treant, C = 0.48", 0.48);
    ours("ours, C = 1", 1.0);
    theirs("treant, C = 2", 2.0);
}
