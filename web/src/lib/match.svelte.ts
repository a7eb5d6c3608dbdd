// A game of ColorShapeLinks against an agent, kept over reloads.

import { postThink, Trouble } from "./api";
import { begin, drop, dropAll, LAYOUT, mayDrop, result, takeBack, toMove, writeMove, type Links, type Player, type Shape } from "./links";
import type { ThinkAsk, Thought } from "./protocol";
import { keep, recall } from "./store";

/** How long an agent thinks about a move. */
export type Strength = { readonly playouts: number } | { readonly time_ms: number };

/** What there is to choose from. */
export const STRENGTHS: readonly (readonly [string, string, Strength])[] = [
  ["p100", "100 playouts: a beginner", { playouts: 100 }],
  ["p1000", "1,000 playouts", { playouts: 1_000 }],
  ["p10000", "10,000 playouts", { playouts: 10_000 }],
  ["p100000", "100,000 playouts", { playouts: 100_000 }],
  ["t1000", "1 second", { time_ms: 1_000 }],
  ["t5000", "5 seconds: as strong as it gets", { time_ms: 5_000 }],
];

interface Kept {
  readonly moves: readonly string[];
  readonly side: Player;
  readonly agent: string;
  readonly strength: string;
}

const HINT: Strength = { time_ms: 1_500 };

class Match {
  links = $state.raw<Links>(begin(LAYOUT));
  /** The side of the player. */
  side = $state<Player>("white");
  agent = $state("champion");
  strength = $state("p10000");
  thinking = $state(false);
  /** What the last thought was, and after which moves. */
  thought = $state.raw<{ readonly thought: Thought; readonly by: Player } | undefined>();
  hint = $state.raw<Thought | undefined>();
  trouble = $state("");
  said = $state("");
  #turn = 0;

  result = $derived(result(this.links));
  mine = $derived(this.result === undefined && toMove(this.links) === this.side && !this.thinking);

  /** White's share of the games, by the last thought; even before there is one. */
  white = $derived.by(() => {
    if (this.result !== undefined) return this.result === "draw" ? 0.5 : this.result.winner === "white" ? 1 : 0;
    if (!this.thought) return 0.5;
    const { thought, by } = this.thought;
    const { proof } = thought.best;
    const value = proof === "won" ? 1 : proof === "lost" ? 0 : proof === "drawn" ? 0.5 : Math.min(1, Math.max(0, thought.best.value));
    return by === "white" ? value : 1 - value;
  });

  /** Goes on with the game that was kept. */
  open(): void {
    const kept = recall<Kept>("links");
    if (kept && this.links.moves.length === 0) {
      this.links = dropAll(begin(LAYOUT), kept.moves);
      [this.side, this.agent, this.strength] = [kept.side, kept.agent, kept.strength];
    }
    void this.answer();
  }

  restart(): void {
    this.#turn++;
    this.links = begin(LAYOUT);
    [this.thought, this.hint, this.thinking, this.trouble] = [undefined, undefined, false, ""];
    this.said = `New game. You are ${this.side}.`;
    this.remember();
    void this.answer();
  }

  play(column: number, shape: Shape): void {
    if (!this.mine || !mayDrop(this.links, column, shape)) return;
    this.links = drop(this.links, writeMove(column, shape));
    this.hint = undefined;
    this.said = `You dropped a ${shape} piece in column ${column + 1}.${this.#ending()}`;
    this.remember();
    void this.answer();
  }

  #ending(): string {
    const end = this.result;
    if (end === undefined) return "";
    return end === "draw" ? " The game is drawn." : end.winner === this.side ? " You win." : " You lose.";
  }

  /** The position before the player's last move. */
  back(): void {
    this.#turn++;
    this.thinking = false;
    const own = this.links.moves.length > 0 && toMove(takeBack(this.links, 1)) === this.side;
    this.links = takeBack(this.links, own ? 1 : 2);
    [this.hint, this.thought] = [undefined, undefined];
    this.said = "Taken back.";
    this.remember();
    void this.answer();
  }

  /** Lets the agent move, if it is its turn. */
  async answer(): Promise<void> {
    if (this.thinking || this.result !== undefined || toMove(this.links) === this.side) return;
    const how = STRENGTHS.find(([name]) => name === this.strength)?.[2] ?? HINT;
    const thought = await this.#ask(this.agent, how);
    if (!thought) return;
    this.thought = { thought, by: toMove(this.links) };
    const before = this.links;
    this.links = drop(before, thought.best.move);
    this.said = `${this.agent} dropped ${thought.best.move.endsWith("o") ? "a round" : "a square"} piece in column ${parseInt(thought.best.move) + 1}.${this.#ending()}`;
    this.remember();
  }

  /** What the strongest agent would do in the player's place. */
  async ask(): Promise<void> {
    if (!this.mine) return;
    const thought = await this.#ask("champion", HINT);
    if (!thought) return;
    this.hint = thought;
    this.thought = { thought, by: this.side };
  }

  /** A thought about the position, unless it has become stale meanwhile. */
  async #ask(agent: string, how: Strength): Promise<Thought | undefined> {
    const turn = ++this.#turn;
    this.thinking = true;
    this.trouble = "";
    const ask: ThinkAsk = { moves: [...this.links.moves], agent, seed: 1 + this.links.moves.length, ...how };
    try {
      const thought = await postThink(ask);
      return turn === this.#turn ? thought : undefined;
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      if (turn === this.#turn) this.trouble = error.message;
      return undefined;
    } finally {
      if (turn === this.#turn) this.thinking = false;
    }
  }

  remember(): void {
    const { links, side, agent, strength } = this;
    keep("links", { moves: links.moves, side, agent, strength } satisfies Kept);
  }
}

/** The page's own. */
export const match = new Match();
