//! The parameters of SP-MCTS, and the papers' settings of them.

use solitree_core::params::Range;
use solitree_core::{choice, params};

choice! {
    /// What the top score adds to a child's value.
    pub enum TopMode {
        /// average + W * top: the papers' words.
        Added = "added",
        /// (1 - W) * average + W * top: the authors' program.
        Mix = "mix",
    }
}

choice! {
    /// How exploration and deviation enter a child's value.
    pub enum SelectionFormula {
        /// average + C * sqrt(log n_p / n_i) + sqrt((sum r^2 - n_i v_i^2 + D) / n_i):
        /// Formula 1 of the papers.
        Papers = "papers",
        /// average + C * sqrt(sqrt n_p / n_i) * sqrt((sum r^2 - n_i v_i^2 + D) / (n_i + 1)):
        /// the authors' program.
        Program = "program",
    }
}

choice! {
    /// The logarithm in the exploration term.
    pub enum LogBase {
        /// Natural: the papers' formula.
        Ln = "ln",
        /// Decimal: the authors' program.
        Log10 = "log10",
    }
}

choice! {
    /// How the tree grows.
    pub enum Expansion {
        /// Every playout adds the first position it meets that is not in the
        /// tree (Coulom, 2007): the papers.
        One = "one",
        /// The same below T visits; at T the position gets all the children it
        /// still lacks: the authors' program.
        Rest = "rest",
        /// A leaf gets nothing below T visits, and at T all its children: a later
        /// version of that program.
        All = "all",
    }
}

choice! {
    /// What is done about subtrees in which every line is known.
    pub enum Solved {
        /// Nothing.
        Ignore = "ignore",
        /// The search stops when the root is one.
        Stop = "stop",
        /// And they are not entered again.
        Skip = "skip",
    }
}

choice! {
    /// Which move of the root is played, when moves are played one by one.
    pub enum FinalMove {
        /// The first move of the best line found.
        TopScore = "top-score",
        /// The move tried most often.
        Visits = "visits",
        /// The move with the best average.
        Average = "average",
    }
}

choice! {
    /// How the budget is spread over a game.
    pub enum Control {
        /// All of it at the start; the best line found is the answer.
        Game = "game",
        /// A share for every move, which is then played.
        Move = "move",
    }
}

choice! {
    /// What the answer is, when moves are played one by one.
    pub enum Answer {
        /// The best line ever seen.
        Best = "best",
        /// The game as it was played, even where a better line was seen on the
        /// way: what the papers' Table 4 measures.
        Played = "played",
    }
}

params! {
    /// Everything that can be set in SP-MCTS. The defaults are the papers'
    /// manual tuning; where a paper leaves a point open, the other readings
    /// are here too.
    pub struct SpMctsConfig {
        /// Exploration constant C.
        c ("c"): f64 = 0.1, Range::Real(0.0, 10_000.0);
        /// Deviation constant D: how promising a rarely tried move looks.
        d ("d"): f64 = 32.0, Range::Real(0.0, 1e9);
        /// Threshold T: visits before the children of a position are selected by formula.
        t ("t"): u64 = 10, Range::Count(1, 1_000_000);
        /// Weight W of the top score.
        w ("w"): f64 = 0.02, Range::Real(0.0, 100.0);
        /// Whether the top score is added to the average or mixed with it.
        top ("top"): TopMode = TopMode::Added, Range::Choice(TopMode::WORDS);
        /// How exploration and deviation enter the value of a move.
        formula ("formula"): SelectionFormula = SelectionFormula::Papers, Range::Choice(SelectionFormula::WORDS);
        /// The logarithm of the exploration term, with formula=papers.
        log ("log"): LogBase = LogBase::Ln, Range::Choice(LogBase::WORDS);
        /// Whether a position gets its children one by one, the rest of them at T visits, or all of them then.
        expansion ("expansion"): Expansion = Expansion::One, Range::Choice(Expansion::WORDS);
        /// What is done about subtrees in which every line is known.
        solved ("solved"): Solved = Solved::Skip, Range::Choice(Solved::WORDS);
        /// Whether the budget is spent at the start of the game or move by move.
        control ("control"): Control = Control::Game, Range::Choice(Control::WORDS);
        /// With control=move: the expected length of a game, by which the budget is divided.
        game_length ("game-length"): f64 = 64.4, Range::Real(1.0, 1e6);
        /// With control=move: which move is played.
        final_move ("final-move"): FinalMove = FinalMove::TopScore, Range::Choice(FinalMove::WORDS);
        /// With control=move and final-move=top-score: follow the best line of the game so far if this search found none better.
        keep_best_line ("keep-best-line"): bool = false, Range::Flag;
        /// With control=move: whether the answer is the best line seen or the game as played.
        answer ("answer"): Answer = Answer::Best, Range::Choice(Answer::WORDS);
        /// Searches to make, each from a new seed; 0 for as many as the budget allows.
        restarts ("restarts"): u64 = 1, Range::Count(0, 1_000_000_000);
        /// Nodes of each search; 0 for an equal share of the budget.
        search_nodes ("search-nodes"): u64 = 0, Range::Count(0, 1_000_000_000_000);
        /// Playouts from a leaf at each visit.
        leaf_playouts ("leaf-playouts"): u64 = 1, Range::Count(1, 256);
        /// Entries of a table that hands what is known of a position to later searches; 0 for none.
        table ("table"): u64 = 0, Range::Count(0, 1 << 32);
        /// Searches advanced together on a thread, so that their playouts run in lockstep; 0 for what suits the playouts.
        abreast ("abreast"): u64 = 0, Range::Count(0, 64);
    }
}
