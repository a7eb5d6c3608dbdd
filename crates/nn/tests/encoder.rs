//! What networks see of SameGame against the plain engine and the fast one,
//! along random games.

mod common;

use common::position;
use proptest::prelude::*;
use solitree_core::{Puzzle, Rng};
use solitree_games::samegame::plain::PlainGame;
use solitree_games::samegame::{AnySameGame, Board, Cell, Engine, Kernels, Rules, SameGame};
use solitree_nn::{Encoder, Features, PuzzleEncoder, SameGameEncoder, Symmetry};

fn encoders() -> impl Strategy<Value = SameGameEncoder> {
    (1usize..=20, 1usize..=16, 1usize..=9, any::<bool>()).prop_map(
        |(width, height, colours, groups)| {
            let features = if groups { Features::Groups } else { Features::Colours };
            SameGameEncoder::new(width, height, colours, features).unwrap()
        },
    )
}

/// The board of some contents.
fn board(encoder: &SameGameEncoder, contents: &[u8]) -> Board {
    let input = encoder.input();
    Board::new(input.width, input.height, |x, y| contents[x * input.height + y]).unwrap()
}

/// Moves, indices and contents of the fast engine's position, there and back.
fn round_trip<const W: usize, const P: usize>(
    encoder: &SameGameEncoder,
    puzzle: &SameGame<W, P>,
    contents: &[u8],
) where
    Kernels: Engine<W, P>,
{
    let state = puzzle.start();
    let mut again = vec![0; contents.len()];
    encoder.contents(puzzle, &state, &mut again);
    assert_eq!(again, contents);
    let (mut moves, mut legal) = (Vec::new(), Vec::new());
    puzzle.moves(&state, &mut moves);
    encoder.legal(contents, &mut legal);
    let indices: Vec<u16> = moves.iter().map(|&mv| encoder.index(puzzle, &state, mv)).collect();
    assert_eq!(indices, legal);
    for index in 0..contents.len() as u16 + 3 {
        let mv = legal.iter().position(|&cell| cell == index).map(|place| moves[place]);
        assert_eq!(encoder.move_at(puzzle, &state, index), mv);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn moves_and_cells_stand_for_each_other(encoder in encoders(), seed in any::<u64>()) {
        let position = position(&encoder, &mut Rng::new(seed));
        let contents = encoder.board(&position).unwrap();
        prop_assert!(encoder.accepts(&contents));
        prop_assert_eq!(board(&encoder, &contents), position.clone());
        let rules = std::sync::Arc::new(Rules::default());
        match AnySameGame::new(&position, &rules) {
            AnySameGame::Small(puzzle) => round_trip(&encoder, &puzzle, &contents),
            AnySameGame::Large(puzzle) => round_trip(&encoder, &puzzle, &contents),
        }
    }

    #[test]
    fn planes_say_what_the_plain_engine_says(encoder in encoders(), seed in any::<u64>()) {
        let position = position(&encoder, &mut Rng::new(seed));
        let contents = encoder.board(&position).unwrap();
        let (input, rules) = (encoder.input(), Rules::default());
        let game = PlainGame::new(&position, &rules);
        let mut marks = vec![0; input.bytes()];
        encoder.encode(&contents, &mut marks);
        for (index, marks) in marks.chunks(input.marks).enumerate() {
            let cell = Cell::new(index / input.height, index % input.height);
            prop_assert_eq!(marks[0], position.colour(cell.column(), cell.row()));
            let Some(&class) = marks.get(1) else { continue };
            let class = usize::from(class) - (encoder.colours() + 1);
            prop_assert!(class + encoder.colours() + 1 < input.planes);
            let expected = game.group(cell).map_or(0, |group| {
                let size = match group.cells.len() {
                    2..=4 => group.cells.len() - 2,
                    5..=6 => 3,
                    7..=9 => 4,
                    10..=14 => 5,
                    15..=24 => 6,
                    _ => 7,
                };
                1 + 2 * size + usize::from(group.cells[0] == cell)
            });
            prop_assert_eq!(class, expected);
        }
    }

    /// Twins played side by side: whatever is played in one, its counterpart
    /// pays the same in the other, and what is left are twins again.
    #[test]
    fn twins_are_worth_the_same(encoder in encoders(), seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let start = position(&encoder, &mut rng);
        let (height, rules) = (encoder.input().height, Rules::default());
        let symmetry = Symmetry::random(encoder.colours(), &mut rng);
        let mut contents = encoder.board(&start).unwrap();
        symmetry.apply(height, &mut contents, &mut []);
        let mut game = PlainGame::new(&start, &rules);
        let mut twin = PlainGame::new(&board(&encoder, &contents), &rules);
        loop {
            prop_assert_eq!(game.score(), twin.score());
            let mut legal = Vec::new();
            let mut contents = encoder.board(&game.board()).unwrap();
            encoder.legal(&contents, &mut legal);
            let mut moved = legal.clone();
            symmetry.apply(height, &mut contents, &mut moved);
            prop_assert_eq!(&contents, &encoder.board(&twin.board()).unwrap());
            let mut theirs = Vec::new();
            encoder.legal(&contents, &mut theirs);
            let mut sorted = moved.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, theirs);
            if legal.is_empty() {
                break;
            }
            let choice = rng.below(legal.len() as u32) as usize;
            let gone = game.play(encoder.cell(legal[choice])).unwrap();
            let twins_gone = twin.play(encoder.cell(moved[choice])).unwrap();
            prop_assert_eq!(gone.cells.len(), twins_gone.cells.len());
        }
    }
}

#[test]
fn a_mirrored_board_can_be_read() {
    let encoder = SameGameEncoder::new(4, 2, 2, Features::Colours).unwrap();
    let start: Board = "12../112.".parse().unwrap();
    let mut contents = encoder.board(&start).unwrap();
    // a1 names the group of three ones, b2 nothing; mirrored it begins at b1.
    let mut moves = [0];
    Symmetry::MIRROR.apply(2, &mut contents, &mut moves);
    assert_eq!(board(&encoder, &contents).to_inline(), ".21./211.");
    assert_eq!(encoder.cell(moves[0]).to_string(), "b1");
}

#[test]
fn says_what_is_wrong() {
    let error = SameGameEncoder::new(40, 2, 3, Features::Colours).unwrap_err().to_string();
    assert!(error.starts_with("40x2x3: a board is 1 to 32 wide"), "{error}");
    let encoder = SameGameEncoder::new(2, 2, 2, Features::Colours).unwrap();
    let error = encoder.board(&"12/13".parse().unwrap()).unwrap_err().to_string();
    assert_eq!(error, "a board of 2x2x3, and this encoder is for 2x2x2");
}
