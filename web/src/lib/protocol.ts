// Written by the tests of crates/server: do not edit.

export const PROTOCOL = 1;

/**
 * What a run was asked to do.
 */
export type RunHead = { 
/**
 * The board's name, or its rows.
 */
board: string, 
/**
 * The rules, where the game has some to choose from.
 */
rules: string | null, 
/**
 * The algorithm and preset.
 */
algorithm: string, 
/**
 * Every parameter.
 */
params: Record<string, number | boolean | string>, 
/**
 * The seed.
 */
seed: number, 
/**
 * Threads.
 */
threads: number, };

/**
 * The work done so far.
 */
export type Work = { 
/**
 * Games finished at random.
 */
playouts: number, 
/**
 * Nodes added to search trees.
 */
nodes: number, 
/**
 * The mean depth of the nodes.
 */
average_depth: number, 
/**
 * The depth of the deepest.
 */
deepest: number, 
/**
 * The time it took.
 */
seconds: number, };

/**
 * A moment in the life of a search: a line of `solve --jsonl`.
 */
export type SearchEvent = { "event": "started", 
/**
 * The version that searches.
 */
version: string, 
/**
 * The board's name, or its rows.
 */
board: string, 
/**
 * The rules, where the game has some to choose from.
 */
rules: string | null, 
/**
 * The algorithm and preset.
 */
algorithm: string, 
/**
 * Every parameter.
 */
params: Record<string, number | boolean | string>, 
/**
 * The seed.
 */
seed: number, 
/**
 * Threads.
 */
threads: number, } | { "event": "best", 
/**
 * The board.
 */
board: string, 
/**
 * What the line earns.
 */
score: number, 
/**
 * Its moves.
 */
moves: Array<string>, 
/**
 * Games finished at random.
 */
playouts: number, 
/**
 * Nodes added to search trees.
 */
nodes: number, 
/**
 * The mean depth of the nodes.
 */
average_depth: number, 
/**
 * The depth of the deepest.
 */
deepest: number, 
/**
 * The time it took.
 */
seconds: number, } | { "event": "progress", 
/**
 * The board.
 */
board: string, 
/**
 * Games finished at random.
 */
playouts: number, 
/**
 * Nodes added to search trees.
 */
nodes: number, 
/**
 * The mean depth of the nodes.
 */
average_depth: number, 
/**
 * The depth of the deepest.
 */
deepest: number, 
/**
 * The time it took.
 */
seconds: number, } | { "event": "insight", 
/**
 * The board.
 */
board: string, 
/**
 * What is to be seen.
 */
insight: InsightView, 
/**
 * Games finished at random.
 */
playouts: number, 
/**
 * Nodes added to search trees.
 */
nodes: number, 
/**
 * The mean depth of the nodes.
 */
average_depth: number, 
/**
 * The depth of the deepest.
 */
deepest: number, 
/**
 * The time it took.
 */
seconds: number, } | { "event": "checkpoint", 
/**
 * The board.
 */
board: string, 
/**
 * Games finished at random.
 */
playouts: number, 
/**
 * Nodes added to search trees.
 */
nodes: number, 
/**
 * The mean depth of the nodes.
 */
average_depth: number, 
/**
 * The depth of the deepest.
 */
deepest: number, 
/**
 * The time it took.
 */
seconds: number, } | { "event": "stopped", 
/**
 * The board.
 */
board: string, 
/**
 * Why.
 */
stop: string, 
/**
 * Games finished at random.
 */
playouts: number, 
/**
 * Nodes added to search trees.
 */
nodes: number, 
/**
 * The mean depth of the nodes.
 */
average_depth: number, 
/**
 * The depth of the deepest.
 */
deepest: number, 
/**
 * The time it took.
 */
seconds: number, };

/**
 * What is to be seen inside a search.
 */
export type InsightView = { "of": "tree", 
/**
 * What the depths are of.
 */
counted: CountedView, 
/**
 * Moves from the start to the root.
 */
prefix: Array<string>, 
/**
 * The moves of the root that have been tried, the most visited first.
 */
moves: Array<MoveView>, 
/**
 * How many of them at each depth, the root's first.
 */
depths: Array<number>, } | { "of": "policy", 
/**
 * The levels, the lowest first.
 */
levels: Array<LevelView>, } | { "of": "beam", 
/**
 * The number of the pass, from 0.
 */
pass: number, 
/**
 * The most positions that are kept of a layer.
 */
width: number, 
/**
 * The layers so far.
 */
layers: Array<LayerView>, };

/**
 * What is counted by its depth.
 */
export type CountedView = "positions" | "playouts";

/**
 * A move of the root.
 */
export type MoveView = { 
/**
 * The move.
 */
move: string, 
/**
 * How often it was tried.
 */
visits: number, 
/**
 * The mean score of what came of it.
 */
mean: number, 
/**
 * The best.
 */
best: number, };

/**
 * A level of a search that adapts its policy.
 */
export type LevelView = { 
/**
 * Iterations done since it last began.
 */
iteration: number, 
/**
 * The score of its best line, if it has one.
 */
score: number | null, 
/**
 * The mean probability that its policy gives to the moves of that line.
 */
concentration: number | null, 
/**
 * The probability of each of them.
 */
line: Array<number>, };

/**
 * A layer of a beam.
 */
export type LayerView = { 
/**
 * Its number: moves or progress since the start of the pass.
 */
layer: number, 
/**
 * Positions kept.
 */
kept: number, 
/**
 * The value of the best of them.
 */
best: number, 
/**
 * The value of the last.
 */
worst: number, };

/**
 * A solved board: what `solve --json` prints.
 */
export type Solution = { 
/**
 * What the line earns, if one was found.
 */
score: number | null, 
/**
 * Whether no block is left, in games that have blocks.
 */
cleared: boolean | null, 
/**
 * The line.
 */
moves: Array<string>, 
/**
 * Why the search stopped.
 */
stop: string, 
/**
 * The best score known.
 */
best_known: number | null, 
/**
 * The version that searched.
 */
version: string, 
/**
 * The board's name, or its rows.
 */
board: string, 
/**
 * The rules, where the game has some to choose from.
 */
rules: string | null, 
/**
 * The algorithm and preset.
 */
algorithm: string, 
/**
 * Every parameter.
 */
params: Record<string, number | boolean | string>, 
/**
 * The seed.
 */
seed: number, 
/**
 * Threads.
 */
threads: number, 
/**
 * Games finished at random.
 */
playouts: number, 
/**
 * Nodes added to search trees.
 */
nodes: number, 
/**
 * The mean depth of the nodes.
 */
average_depth: number, 
/**
 * The depth of the deepest.
 */
deepest: number, 
/**
 * The time it took.
 */
seconds: number, };

/**
 * Every board with a name, and the rules.
 */
export type Boards = { 
/**
 * The sets.
 */
sets: Array<SetInfo>, 
/**
 * The rules of SameGame that have names.
 */
rules: Array<RuleInfo>, 
/**
 * Raised whenever a seed would give another board.
 */
generator_version: number, };

/**
 * A set of boards.
 */
export type SetInfo = { 
/**
 * The name before the colon.
 */
name: string, 
/**
 * What it is.
 */
about: string, 
/**
 * Its boards.
 */
boards: Array<BoardInfo>, };

/**
 * A board with a name.
 */
export type BoardInfo = { 
/**
 * Its name.
 */
name: string, 
/**
 * The best score known.
 */
best_known: number | null, 
/**
 * Where that is from.
 */
source: string | null, };

/**
 * Rules with a name.
 */
export type RuleInfo = { 
/**
 * The name.
 */
name: string, 
/**
 * The rule written out.
 */
formula: string, 
/**
 * Where it comes from.
 */
about: string, };

/**
 * An algorithm, its settings and its paper.
 */
export type AlgorithmInfo = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it does.
 */
about: string, 
/**
 * Where it was published.
 */
paper: string, 
/**
 * Named settings.
 */
presets: Array<PresetInfo>, 
/**
 * Everything that can be set.
 */
parameters: Array<ParameterInfo>, };

/**
 * A named setting.
 */
export type PresetInfo = { 
/**
 * Its name behind the colon.
 */
name: string, 
/**
 * What it is.
 */
about: string, 
/**
 * What differs from the defaults.
 */
values: Record<string, number | boolean | string>, };

/**
 * A parameter.
 */
export type ParameterInfo = { 
/**
 * The key.
 */
key: string, 
/**
 * Its value unless set.
 */
default: number | boolean | string, 
/**
 * The kind of value.
 */
kind: ParameterKind, 
/**
 * The values it may take.
 */
range: ParameterRange, 
/**
 * What it does.
 */
help: string, };

/**
 * The kind of a parameter's value.
 */
export type ParameterKind = "real" | "count" | "flag" | "choice";

/**
 * The values of a parameter.
 */
export type ParameterRange = { 
/**
 * The lowest.
 */
min: number, 
/**
 * The highest.
 */
max: number, } | { 
/**
 * The lowest.
 */
min: number, 
/**
 * The highest.
 */
max: number, } | [boolean, boolean] | Array<string>;

/**
 * Somebody to play against.
 */
export type AgentInfo = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it is.
 */
about: string, };

/**
 * What a client asks on the socket, one JSON object a message.
 */
export type Ask = { "ask": "search" } & SearchAsk | { "ask": "stop" } & Which | { "ask": "pause" } & Which | { "ask": "resume" } & Which | { "ask": "attach" } & Which;

/**
 * A search by its id.
 */
export type Which = { 
/**
 * The id that the client gave it.
 */
id: string, };

/**
 * A search to begin.
 */
export type SearchAsk = { 
/**
 * A name that nobody can guess: 16 to 64 letters and digits. Whoever knows it
 * may attach to the search.
 */
id: string, 
/**
 * What to search.
 */
what: SolveAsk, 
/**
 * Whether to hear what is to be seen inside the search.
 */
insights?: boolean, };

/**
 * What to search and how, as `solve` takes it.
 */
export type SolveAsk = { 
/**
 * The name of a board, or its rows.
 */
board: string, 
/**
 * The rules; `samegame` unless given.
 */
rules?: string, 
/**
 * The algorithm and preset; the strongest there is unless given.
 */
algorithm?: string, 
/**
 * Parameters that differ from the preset.
 */
params?: Record<string, number | boolean | string>, 
/**
 * The seed; 1 unless given.
 */
seed?: number, 
/**
 * When to stop; the server's own limit on time always counts too.
 */
budget?: BudgetAsk, };

/**
 * When to stop: at whatever comes first.
 */
export type BudgetAsk = { 
/**
 * Milliseconds.
 */
time_ms?: number, 
/**
 * Nodes added to trees.
 */
nodes?: number, 
/**
 * Playouts.
 */
playouts?: number, 
/**
 * A score that is good enough.
 */
target?: number, };

/**
 * What the server says on the socket, one JSON object a message.
 */
export type Reply = { 
/**
 * Which.
 */
id: string, } & ({ "event": "started", 
/**
 * The version that searches.
 */
version: string, 
/**
 * The board's name, or its rows.
 */
board: string, 
/**
 * The rules, where the game has some to choose from.
 */
rules: string | null, 
/**
 * The algorithm and preset.
 */
algorithm: string, 
/**
 * Every parameter.
 */
params: Record<string, number | boolean | string>, 
/**
 * The seed.
 */
seed: number, 
/**
 * Threads.
 */
threads: number, } | { "event": "best", 
/**
 * The board.
 */
board: string, 
/**
 * What the line earns.
 */
score: number, 
/**
 * Its moves.
 */
moves: Array<string>, 
/**
 * Games finished at random.
 */
playouts: number, 
/**
 * Nodes added to search trees.
 */
nodes: number, 
/**
 * The mean depth of the nodes.
 */
average_depth: number, 
/**
 * The depth of the deepest.
 */
deepest: number, 
/**
 * The time it took.
 */
seconds: number, } | { "event": "progress", 
/**
 * The board.
 */
board: string, 
/**
 * Games finished at random.
 */
playouts: number, 
/**
 * Nodes added to search trees.
 */
nodes: number, 
/**
 * The mean depth of the nodes.
 */
average_depth: number, 
/**
 * The depth of the deepest.
 */
deepest: number, 
/**
 * The time it took.
 */
seconds: number, } | { "event": "insight", 
/**
 * The board.
 */
board: string, 
/**
 * What is to be seen.
 */
insight: InsightView, 
/**
 * Games finished at random.
 */
playouts: number, 
/**
 * Nodes added to search trees.
 */
nodes: number, 
/**
 * The mean depth of the nodes.
 */
average_depth: number, 
/**
 * The depth of the deepest.
 */
deepest: number, 
/**
 * The time it took.
 */
seconds: number, } | { "event": "checkpoint", 
/**
 * The board.
 */
board: string, 
/**
 * Games finished at random.
 */
playouts: number, 
/**
 * Nodes added to search trees.
 */
nodes: number, 
/**
 * The mean depth of the nodes.
 */
average_depth: number, 
/**
 * The depth of the deepest.
 */
deepest: number, 
/**
 * The time it took.
 */
seconds: number, } | { "event": "stopped", 
/**
 * The board.
 */
board: string, 
/**
 * Why.
 */
stop: string, 
/**
 * Games finished at random.
 */
playouts: number, 
/**
 * Nodes added to search trees.
 */
nodes: number, 
/**
 * The mean depth of the nodes.
 */
average_depth: number, 
/**
 * The depth of the deepest.
 */
deepest: number, 
/**
 * The time it took.
 */
seconds: number, }) | { 
/**
 * Which.
 */
id: string, } & ({ "event": "queued", 
/**
 * How many are before it.
 */
ahead: number, } | { "event": "running" } | { "event": "paused" } | { "event": "trail", 
/**
 * The points, the first one first.
 */
points: Array<[number, number]>, } | { "event": "refused" } & Refusal | { "event": "failed", 
/**
 * What went wrong.
 */
message: string, } | { "event": "unknown" }) | SocketEvent;

/**
 * What the server does with a search.
 */
export type JobEvent = { "event": "queued", 
/**
 * How many are before it.
 */
ahead: number, } | { "event": "running" } | { "event": "paused" } | { "event": "trail", 
/**
 * The points, the first one first.
 */
points: Array<[number, number]>, } | { "event": "refused" } & Refusal | { "event": "failed", 
/**
 * What went wrong.
 */
message: string, } | { "event": "unknown" };

/**
 * Why something is not done.
 */
export type Refusal = { 
/**
 * Which part of the request is at fault.
 */
field: string, 
/**
 * What is wrong with it.
 */
message: string, 
/**
 * Seconds after which it may go better, if that is all.
 */
retry_after: number | null, };

/**
 * What concerns a socket as a whole.
 */
export type SocketEvent = { "event": "hello", 
/**
 * The version of what is said here.
 */
protocol: number, 
/**
 * The version of the program.
 */
version: string, 
/**
 * How many searches run at a time.
 */
cores: number, 
/**
 * The most milliseconds of one search.
 */
longest_ms: number, 
/**
 * How long a search outlives its socket.
 */
grace_ms: number, } | { "event": "error", 
/**
 * What is wrong with it.
 */
message: string, };

/**
 * A board, and what things are worth on it.
 */
export type BoardView = { 
/**
 * Its name, or its rows.
 */
board: string, 
/**
 * Its rows from the top, `/` between them.
 */
rows: string, 
/**
 * The rules.
 */
rules: RulesView, 
/**
 * The best score known.
 */
best_known: KnownScore | null, };

/**
 * Rules as tables.
 */
export type RulesView = { 
/**
 * The name or the formula.
 */
name: string, 
/**
 * Points of a group by its size, from 0 to all blocks.
 */
points: Array<number>, 
/**
 * What a cleared board adds.
 */
clear: number, 
/**
 * What so many blocks left of one colour add, from 0 to all.
 */
left: Array<number>, };

/**
 * A score and where it is from.
 */
export type KnownScore = { 
/**
 * The score.
 */
score: number, 
/**
 * Where it is from.
 */
source: string, };

/**
 * A line to replay.
 */
export type VerifyAsk = { 
/**
 * The name of a board, or its rows.
 */
board: string, 
/**
 * The rules; `samegame` unless given.
 */
rules?: string, 
/**
 * The line.
 */
moves: Array<string>, };

/**
 * What a line is worth under the plain rules.
 */
export type Verified = { 
/**
 * The score.
 */
score: number, 
/**
 * Whether no block is left.
 */
cleared: boolean | null, 
/**
 * Whether a move is still possible.
 */
unfinished: boolean, 
/**
 * The moves in the canonical notation.
 */
moves: Array<string>, };

/**
 * A position of ColorShapeLinks to think about.
 */
export type ThinkAsk = { 
/**
 * The moves so far, such as `3o`.
 */
moves: Array<string>, 
/**
 * Who thinks; `champion` unless given.
 */
agent?: string, 
/**
 * Board, line and supplies; those of the competition unless given.
 */
layout?: LayoutView, 
/**
 * Playouts, which make the answer repeatable.
 */
playouts?: number, 
/**
 * Milliseconds; a second unless playouts are given.
 */
time_ms?: number, 
/**
 * The seed; 1 unless given.
 */
seed?: number, };

/**
 * The size of a game of ColorShapeLinks.
 */
export type LayoutView = { 
/**
 * Rows of the board.
 */
rows: number, 
/**
 * Columns of the board.
 */
cols: number, 
/**
 * How many in a line win.
 */
line: number, 
/**
 * Round pieces of each player.
 */
rounds: number, 
/**
 * Square pieces of each player.
 */
squares: number, };

/**
 * What an agent thinks of a position.
 */
export type Thought = { 
/**
 * The move it would play.
 */
best: ThoughtMove, 
/**
 * Every move it thought about, the most visited first.
 */
candidates: Array<ThoughtMove>, 
/**
 * Playouts.
 */
playouts: number, 
/**
 * The longest line it looked at.
 */
deepest: number, };

/**
 * A move that was thought about.
 */
export type ThoughtMove = { 
/**
 * The move.
 */
move: string, 
/**
 * How often it was tried.
 */
visits: number, 
/**
 * The part of its games that it won, draws as halves.
 */
value: number, 
/**
 * What is certain.
 */
proof: ProofView, };

/**
 * What is certain of a move, to the player who makes it.
 */
export type ProofView = "open" | "won" | "lost" | "drawn";

/**
 * The runs that are shown.
 */
export type RunList = { 
/**
 * Whether the server was given a folder of runs.
 */
served: boolean, 
/**
 * What is in it, the latest first.
 */
runs: Array<RunInfo>, };

/**
 * A run.
 */
export type RunInfo = { 
/**
 * The name of its folder.
 */
name: string, 
/**
 * What it is.
 */
kind: KindView, 
/**
 * What it shows, in a line.
 */
title: string, 
/**
 * Bytes of its results.
 */
bytes: number, 
/**
 * When they last changed: milliseconds since 1970.
 */
changed: number, };

/**
 * A run and its files.
 */
export type RunView = { 
/**
 * The files that can be asked for.
 */
files: Array<FileInfo>, 
/**
 * The name of its folder.
 */
name: string, 
/**
 * What it is.
 */
kind: KindView, 
/**
 * What it shows, in a line.
 */
title: string, 
/**
 * Bytes of its results.
 */
bytes: number, 
/**
 * When they last changed: milliseconds since 1970.
 */
changed: number, };

/**
 * A file of a run.
 */
export type FileInfo = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its size.
 */
bytes: number, };

/**
 * What a run is.
 */
export type KindView = "experiment" | "tuning" | "training" | "match";
