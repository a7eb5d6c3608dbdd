//! What every domain's plans must keep to.

use crate::{Plans, Puzzle, Rng, Score, replay};

/// Draws random plans and holds every promise of [`Plans`] against them and against
/// the rules.
pub fn check_plans<P: Puzzle, L: Plans<P>>(
    puzzle: &P,
    plans: &mut L,
    seeds: impl IntoIterator<Item = u64>,
) {
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let (marks, spots) = drawn(plans, &mut rng);
        check_line(puzzle, plans, &marks, &spots);
        for _ in 0..8 {
            check_changed(puzzle, plans, (&marks, &spots), &mut rng);
        }
    }
}

/// A random plan, and the positions before its marks and at its end.
fn drawn<P: Puzzle, L: Plans<P>>(plans: &mut L, rng: &mut Rng) -> (Vec<L::Mark>, Vec<L::Spot>) {
    let (mut marks, mut spots) = (Vec::new(), vec![plans.start()]);
    loop {
        let mut spot = spots[spots.len() - 1].clone();
        // Now as games are finished, now as moves are inserted.
        let mark = if rng.below(3) == 0 {
            plans.stray(&mut spot, rng)
        } else {
            plans.draw(&mut spot, rng)
        };
        let Some(mark) = mark else { return (marks, spots) };
        marks.push(mark);
        spots.push(spot);
    }
}

/// Checks that marks are followed to the positions they were drawn at, and that their
/// line is legal, whole, and earns the same.
fn check_line<P: Puzzle, L: Plans<P>>(
    puzzle: &P,
    plans: &mut L,
    marks: &[L::Mark],
    spots: &[L::Spot],
) {
    let line = plans.line(marks);
    assert_eq!(line.len(), marks.len(), "a move for every mark");
    let end = replay(puzzle, &line).expect("the moves of a plan are legal");
    assert!(puzzle.is_over(&end), "a plan that is drawn ends the game");
    assert_eq!(puzzle.score(&end), plans.score(&spots[marks.len()]), "the moves earn the score");
    let (mut spot, mut state) = (plans.start(), puzzle.start());
    for (at, (&mark, &mv)) in marks.iter().zip(&line).enumerate() {
        assert!(plans.same(&spot, &spots[at]), "mark {at}: followed to where it was drawn");
        assert_eq!(plans.points(&spot), puzzle.score(&state), "mark {at}: the points");
        let named = plans.mark(&spot, mv);
        let mut other = spot.clone();
        assert!(plans.follow(&mut other, named), "mark {at}: the mark of a move is followed");
        assert!(plans.follow(&mut spot, mark), "mark {at} is followed");
        assert!(plans.same(&spot, &other), "mark {at}: the mark of its move is as good");
        puzzle.play(&mut state, mv);
    }
    assert!(plans.same(&spot, &spots[marks.len()]), "followed to the end");
}

/// Leaves a mark out and puts another move in its place; checks that the rest is followed
/// alike with and without the knowledge of what it did, and that the same position brings
/// the same rest.
fn check_changed<P: Puzzle, L: Plans<P>>(
    puzzle: &P,
    plans: &mut L,
    (marks, spots): (&[L::Mark], &[L::Spot]),
    rng: &mut Rng,
) {
    if marks.is_empty() {
        return;
    }
    let at = rng.below(marks.len() as u32) as usize;
    let mut spot = spots[at].clone();
    let mut played = marks[..at].to_vec();
    if rng.below(2) == 0 {
        played.extend(plans.stray(&mut spot, rng));
    }
    for next in at + 1..=marks.len() {
        if plans.same(&spot, &spots[next]) {
            let more = plans.points(&spot) - plans.points(&spots[next]);
            let mut paid = spots[marks.len()].clone();
            plans.pay(&mut paid, more);
            assert_eq!(plans.points(&paid), plans.points(&spots[marks.len()]) + more, "it is paid");
            let whole: Vec<L::Mark> = played.iter().chain(&marks[next..]).copied().collect();
            let end = replay(puzzle, &plans.line(&whole)).expect("the rest is as legal");
            assert!(puzzle.is_over(&end), "the rest is the same");
            assert_eq!(puzzle.score(&end), plans.score(&paid), "and earns the same");
        }
        if next == marks.len() {
            break;
        }
        let mut twin = spot.clone();
        let followed = plans.follow_again(&mut spot, marks[next], &spots[next], &spots[next + 1]);
        assert_eq!(followed, plans.follow(&mut twin, marks[next]), "followed with the knowledge");
        assert!(plans.same(&spot, &twin), "to the same position");
        assert_eq!(plans.points(&spot), plans.points(&twin), "with the same points");
        if followed {
            played.push(marks[next]);
        }
    }
    while let Some(mark) = plans.draw(&mut spot, rng) {
        played.push(mark);
    }
    let end = replay(puzzle, &plans.line(&played)).expect("a changed plan is legal");
    assert!(puzzle.is_over(&end), "a plan that was finished ends the game");
    assert_eq!(puzzle.score(&end), plans.score(&spot), "it earns what it says");
    let score = plans.score(&spot);
    assert!(score > Score::MIN);
    let dear = Score(1_000_000_000);
    assert_eq!(plans.worth(&spot, score, dear), score, "nothing that is dear is lenient");
    let prices = [dear, Score(100), Score(1), Score(0)];
    let worths = prices.map(|price| plans.worth(&spot, score, price));
    assert!(worths.is_sorted(), "what costs less is worth more: {worths:?}");
}
