//! The parameters of the engine, and which of them cannot go together.

use solitree_core::params::Range;
use solitree_core::{choice, params};

use crate::spmcts::{Control, FinalMove};

choice! {
    /// How several threads, or lanes of a batch, share the work.
    pub enum Parallel {
        /// All threads in one tree, kept apart by virtual loss.
        Tree = "tree",
        /// A tree for each thread.
        Root = "root",
        /// As tree, but every visit plays a leaf out several times.
        Leaf = "leaf",
    }
}

choice! {
    /// How a move of the tree is chosen; values are normalised first.
    pub enum SelectionRule {
        /// Q + c * prior * sqrt(N) / (1 + n), Q in [-1, 1]: the paper.
        Puct = "puct",
        /// Q + c * sqrt(ln N / n), Q in [0, 1].
        Ucb1 = "ucb1",
        /// Q + c * sqrt(ln N / n * min(1/4, variance + sqrt(2 ln N / n))), Q in [0, 1].
        Ucb1Tuned = "ucb1-tuned",
    }
}

choice! {
    /// What a move is worth.
    pub enum Value {
        /// The average of its playouts: the paper.
        Mean = "mean",
        /// The best of them.
        Max = "max",
        /// (1 - top-weight) * average + top-weight * best.
        Mix = "mix",
    }
}

choice! {
    /// Where the prior probabilities of moves come from.
    pub enum PriorSource {
        /// All alike: the paper without its network.
        Uniform = "uniform",
        /// The guide's factors.
        Guide = "guide",
        /// A softmax of the evaluator's values.
        Evaluator = "evaluator",
    }
}

choice! {
    /// How the moves that may be chosen grow with the visits of a position.
    pub enum Growth {
        /// All of them from the start.
        All = "all",
        /// Progressive widening: ceil(c * n^a).
        Widening = "widening",
        /// Progressive unpruning: k at first, one more at A * B^i visits.
        Unpruning = "unpruning",
    }
}

choice! {
    /// What puts moves in the order in which they become available.
    pub enum Order {
        /// The evaluator's values.
        Evaluator = "evaluator",
        /// The guide's factors.
        Guide = "guide",
    }
}

choice! {
    /// What is learned from moves played later in a game.
    pub enum Amaf {
        /// Nothing.
        Off = "off",
        /// At every position, from the games through it.
        Rave = "rave",
        /// From the nearest position above that has been visited often enough.
        Grave = "grave",
    }
}

choice! {
    /// How much such statistics count.
    pub enum RaveRule {
        /// sqrt(k / (3 n + k)).
        Equivalence = "k",
        /// m / (n + m + 4 n m b^2).
        Bias = "bias",
    }
}

choice! {
    /// Which positions of a level a beam keeps.
    pub enum BeamBy {
        /// Those visited most often.
        Visits = "visits",
        /// Those of the highest value.
        Value = "value",
        /// Those with the best playout.
        Top = "top",
    }
}

params! {
    /// Everything that can be set in Parallel-MCTS.
    pub struct ParallelMctsConfig {
        /// Whether threads share a tree, have one each, or leaves are played out several times.
        parallel ("parallel"): Parallel = Parallel::Tree, Range::Choice(Parallel::WORDS);
        /// Leaves gathered before their playouts run together; 0 for what suits the playouts.
        batch ("batch"): u64 = 0, Range::Count(0, 256);
        /// With parallel=leaf: playouts of a leaf at each visit.
        leaf_playouts ("leaf-playouts"): u64 = 8, Range::Count(1, 256);
        /// Virtual loss of each visit under way, as a share of the value.
        virtual_loss ("virtual-loss"): f64 = 0.01, Range::Real(0.0, 10.0);
        /// How a move is chosen.
        formula ("formula"): SelectionRule = SelectionRule::Puct, Range::Choice(SelectionRule::WORDS);
        /// The exploration constant of the formula.
        c ("c"): f64 = 10.0, Range::Real(0.0, 10_000.0);
        /// Whether a move is worth the average or the best of its playouts.
        value ("value"): Value = Value::Mean, Range::Choice(Value::WORDS);
        /// With value=mix: the weight of the best.
        top_weight ("top-weight"): f64 = 0.5, Range::Real(0.0, 1.0);
        /// The visit at which a position gets its moves.
        t ("t"): u64 = 1, Range::Count(1, 1_000_000);
        /// Where the priors of puct come from.
        prior ("prior"): PriorSource = PriorSource::Uniform, Range::Choice(PriorSource::WORDS);
        /// With prior=evaluator: the temperature of the softmax over values scaled to [0, 1].
        temperature ("temperature"): f64 = 0.3, Range::Real(0.001, 1_000.0);
        /// Which moves may be chosen.
        growth ("growth"): Growth = Growth::All, Range::Choice(Growth::WORDS);
        /// With a growth: the order in which moves become available.
        order ("order"): Order = Order::Evaluator, Range::Choice(Order::WORDS);
        /// With growth=widening: the factor c.
        widening_c ("widening-c"): f64 = 2.0, Range::Real(0.01, 1_000.0);
        /// With growth=widening: the exponent a.
        widening_a ("widening-a"): f64 = 0.3, Range::Real(0.0, 1.0);
        /// With growth=unpruning: moves available at first.
        unpruning_k ("unpruning-k"): u64 = 5, Range::Count(1, 10_000);
        /// With growth=unpruning: visits A at which the next one is.
        unpruning_a ("unpruning-a"): f64 = 50.0, Range::Real(1.0, 1e9);
        /// With growth=unpruning: the factor B from there to the next.
        unpruning_b ("unpruning-b"): f64 = 1.3, Range::Real(1.001, 1_000.0);
        /// What is learned from moves played later.
        amaf ("amaf"): Amaf = Amaf::Off, Range::Choice(Amaf::WORDS);
        /// With amaf: how it is weighed against the move's own playouts.
        rave_rule ("rave-rule"): RaveRule = RaveRule::Bias, Range::Choice(RaveRule::WORDS);
        /// With rave-rule=k: the visits k at which both count alike.
        rave_k ("rave-k"): f64 = 50.0, Range::Real(0.0, 1e9);
        /// With rave-rule=bias: the bias b.
        rave_bias ("rave-bias"): f64 = 0.1, Range::Real(0.0, 1_000.0);
        /// With amaf=grave: visits a position needs to be the reference.
        grave_ref ("grave-ref"): u64 = 50, Range::Count(1, 1_000_000_000);
        /// Playouts of the search that takes the place of each playout (nested MCTS); 0 for plain playouts.
        nested ("nested"): u64 = 0, Range::Count(0, 1_000_000);
        /// Positions kept at each depth (beam MCTS); 0 for all.
        beam ("beam"): u64 = 0, Range::Count(0, 1_000_000);
        /// With beam: visits through a depth at which it is cut.
        beam_limit ("beam-limit"): u64 = 2_000, Range::Count(1, 1_000_000_000);
        /// With beam: which positions are kept.
        beam_by ("beam-by"): BeamBy = BeamBy::Visits, Range::Choice(BeamBy::WORDS);
        /// Whether the budget is spent at the start of the game or move by move.
        control ("control"): Control = Control::Game, Range::Choice(Control::WORDS);
        /// With control=move: simulations before each move; 0 for an equal share of the budget.
        simulations ("simulations"): u64 = 0, Range::Count(0, 1_000_000_000);
        /// With control=move and simulations=0: the expected length of a game.
        game_length ("game-length"): f64 = 64.4, Range::Real(1.0, 1e6);
        /// With control=move and simulations=0: simulations before a move at most, so that games follow one another; 0 for any number.
        longest ("longest"): u64 = 0, Range::Count(0, 1_000_000_000);
        /// Whether games are played by every variant of the domain's knowledge, the best ones most often.
        variants ("variants"): bool = false, Range::Flag;
        /// With control=move: which move is played.
        final_move ("final-move"): FinalMove = FinalMove::TopScore, Range::Choice(FinalMove::WORDS);
    }
}

impl ParallelMctsConfig {
    /// Refuses settings that cannot go together, or of which one would be
    /// without effect where it was surely meant to have one.
    pub(super) fn check(&self) -> Result<(), String> {
        let refuse = |wrong: bool, message: &str| match wrong {
            true => Err(message.to_owned()),
            false => Ok(()),
        };
        refuse(
            self.prior != PriorSource::Uniform && self.formula != SelectionRule::Puct,
            "only formula=puct uses priors: take that, or prior=uniform",
        )?;
        refuse(
            self.beam > 0 && self.control == Control::Move,
            "a beam cuts the tree by depth from the start of the game: take control=game, or beam=0",
        )?;
        refuse(
            self.nested > 0 && self.parallel == Parallel::Leaf,
            "nested searches take the place of playouts: take parallel=tree or root, or nested=0",
        )?;
        refuse(
            self.beam > self.beam_limit && self.beam > 0,
            "a beam wider than beam-limit never cuts anything: take a larger beam-limit",
        )
    }

    /// Whether a leaf gets its moves before it is played out: where there is
    /// something to know about them, and where no single playout follows.
    pub(super) fn is_eager(&self) -> bool {
        self.prior != PriorSource::Uniform
            || self.growth != Growth::All
            || self.amaf != Amaf::Off
            || self.nested > 0
    }

    /// Leaves gathered in a batch.
    pub(super) fn leaves(&self, preferred: usize) -> usize {
        if self.batch > 0 {
            self.batch as usize
        } else {
            (preferred / self.playouts_of_a_leaf()).max(1)
        }
    }

    /// Playouts of a leaf at each visit.
    pub(super) fn playouts_of_a_leaf(&self) -> usize {
        if self.parallel == Parallel::Leaf { self.leaf_playouts as usize } else { 1 }
    }

    /// The weight of the best playout in a value.
    pub(super) fn top_share(&self) -> f64 {
        match self.value {
            Value::Mean => 0.0,
            Value::Max => 1.0,
            Value::Mix => self.top_weight,
        }
    }
}
