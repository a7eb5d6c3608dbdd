//! SameGame's plans against the plain rules, on boards of every shape: random plans,
//! followed, changed and finished.

use std::sync::Arc;

use proptest::prelude::*;
use solitree_core::check::check_plans;
use solitree_core::{Kit, Plans, Puzzle, Rng, replay};
use solitree_games::samegame::plain::PlainGame;
use solitree_games::samegame::{
    AnySameGame, Board, BoardName, Cell, Engine, Kernels, KitConfig, LargeSameGame, Path,
    PlayoutConfig, RULE_PRESETS, Rules, SameGame, SameGameKit, SmallSameGame,
};

/// A settled board of any size and number of colours, with ragged tops.
fn boards() -> impl Strategy<Value = Board> {
    (1usize..=32, 1usize..=16, 1usize..=9, any::<u64>(), any::<bool>()).prop_map(
        |(width, height, colours, seed, full)| {
            let mut rng = Rng::new(seed);
            let mut tops: Vec<usize> = (0..width)
                .map(|_| if full { height } else { rng.below(height as u32 + 1) as usize })
                .collect();
            // Empty columns belong to the right.
            tops.sort_by_key(|&top| top == 0);
            Board::new(width, height, |x, y| {
                if y < tops[x] { 1 + rng.below(colours as u32) as u8 } else { 0 }
            })
            .unwrap()
        },
    )
}

/// A game in which every block carries the cell it started in.
struct PlainPlan<'a> {
    game: PlainGame<'a>,
    /// Where the blocks of each column came from, empty columns last.
    origins: Vec<Vec<Cell>>,
    /// Cells of the moves played.
    moves: Vec<Cell>,
}

impl<'a> PlainPlan<'a> {
    fn new(board: &Board, rules: &'a Rules) -> Self {
        let column = |x| {
            let rows = (0..board.height()).take_while(move |&y| board.colour(x, y) != 0);
            rows.map(move |y| Cell::new(x, y)).collect()
        };
        let origins = (0..board.width()).map(column).collect();
        PlainPlan { game: PlainGame::new(board, rules), origins, moves: Vec::new() }
    }

    /// Where a block is now.
    fn place(&self, mark: Cell) -> Option<Cell> {
        self.origins.iter().enumerate().find_map(|(x, column)| {
            let y = column.iter().position(|&origin| origin == mark)?;
            Some(Cell::new(x, y))
        })
    }

    fn follow(&mut self, mark: Cell) -> bool {
        let Some(group) = self.place(mark).and_then(|cell| self.game.play(cell)) else {
            return false;
        };
        for cell in group.cells.iter().rev() {
            self.origins[cell.column()].remove(cell.row());
        }
        self.origins.retain(|column| !column.is_empty());
        self.moves.push(group.cells[0]);
        true
    }

    /// The blocks that are in groups, in the order of where they started; without the kept
    /// colour where there is another, unless it counts as any other.
    fn choices(&self, kept: u8, any: bool) -> Vec<Cell> {
        let groups = self.game.groups();
        let only_kept = groups.iter().all(|group| group.colour == kept);
        let free = groups.iter().filter(|group| any || only_kept || group.colour != kept);
        let blocks = free.flat_map(|group| &group.cells);
        let mut blocks: Vec<Cell> =
            blocks.map(|cell| self.origins[cell.column()][cell.row()]).collect();
        blocks.sort_unstable();
        blocks
    }

    /// The move that is drawn, with the same random numbers.
    fn draw(&mut self, kept: u8, inserted: bool, rng: &mut Rng) -> Option<Cell> {
        let others = self.game.groups().iter().any(|group| group.colour != kept);
        let any = inserted && others && rng.below(20) == 0;
        let choices = self.choices(kept, any);
        let &mark = choices.get(rng.clone().below(choices.len() as u32) as usize)?;
        rng.next_u64();
        assert!(self.follow(mark));
        Some(mark)
    }
}

/// Follows random marks and draws random moves, side by side with the plain plan.
fn same_plans<const W: usize, const P: usize>(
    game: &SameGame<W, P>,
    board: &Board,
    rules: &Rules,
    seed: u64,
) where
    Kernels: Engine<W, P>,
{
    let keep = 1 + seed % 9;
    let playout = PlayoutConfig { keep, ..PlayoutConfig::default() };
    let config = KitConfig { playout, ..KitConfig::default() };
    let mut plans = SameGameKit::new(&config, game).plans(game);
    let mut rng = Rng::new(seed);
    let mut plain = PlainPlan::new(board, rules);
    let (mut spot, mut marks) = (plans.start(), Vec::new());
    loop {
        if !plain.game.is_over() {
            assert_eq!(plans.points(&spot), plain.game.score());
        }
        for _ in 0..3 {
            let (x, y) = (rng.below(32), rng.below(16));
            let mark = Cell::new(x as usize, y as usize);
            let followed = plans.follow(&mut spot, mark);
            assert_eq!(followed, plain.follow(mark), "{mark}");
            marks.extend(followed.then_some(mark));
        }
        let (inserted, mut twin) = (rng.below(2) == 0, rng.clone());
        let drawn = if inserted {
            plans.stray(&mut spot, &mut rng)
        } else {
            plans.draw(&mut spot, &mut rng)
        };
        assert_eq!(drawn, plain.draw(keep as u8, inserted, &mut twin));
        let Some(mark) = drawn else { break };
        assert_eq!(rng, twin, "as many random numbers");
        marks.push(mark);
    }
    assert!(plain.game.is_over());
    assert_eq!(plans.score(&spot), plain.game.score());
    assert_eq!(plans.line(&marks), plain.moves);
    let end = replay(game, &plain.moves).unwrap();
    assert_eq!(game.score(&end), plans.score(&spot));
    check_plans(game, &mut plans, seed..seed.saturating_add(2));
}

fn rules_of(seed: u64) -> Arc<Rules> {
    let preset = RULE_PRESETS[seed as usize % RULE_PRESETS.len()];
    Rules::parse(preset.name).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn plans_are_the_same(board in boards(), seed: u64) {
        let rules = rules_of(seed);
        match AnySameGame::new(&board, &rules) {
            AnySameGame::Small(game) => {
                for path in Path::available() {
                    same_plans(&game.clone().with_path(path), &board, &rules, seed);
                }
            }
            AnySameGame::Large(game) => {
                same_plans(&game.clone().with_path(Path::SCALAR), &board, &rules, seed);
                same_plans(&game, &board, &rules, seed);
            }
        }
    }

    #[test]
    fn a_small_board_has_the_same_plans_in_the_large_layout(board in boards(), seed: u64) {
        same_plans(&LargeSameGame::new(&board, &rules_of(seed)), &board, &rules_of(seed), seed);
    }
}

/// Plans are said to outlast changes: without one of its marks most of the rest of a plan
/// can be followed still.
#[test]
fn most_of_a_plan_outlasts_a_change() {
    let (mut kept, mut all) = (0, 0);
    for seed in 0..20 {
        let board = format!("random:{seed}:15x15x5").parse::<BoardName>().unwrap().board();
        let game = SmallSameGame::new(&board, &Arc::default());
        let kit = SameGameKit::new(&KitConfig::default(), &game);
        let mut plans = kit.plans(&game);
        assert!(is_steady(&kit));
        let (mut spot, mut rng) = (plans.start(), Rng::new(seed));
        let marks: Vec<Cell> = std::iter::from_fn(|| plans.draw(&mut spot, &mut rng)).collect();
        let mut changed = plans.start();
        kept += marks[1..].iter().filter(|&&mark| plans.follow(&mut changed, mark)).count();
        all += marks.len() - 1;
    }
    assert!(10 * kept > 7 * all, "{kept} of {all}");
}

fn is_steady<K: Kit<SmallSameGame>>(_: &K) -> bool {
    <K::Plans as Plans<SmallSameGame>>::STEADY
}
