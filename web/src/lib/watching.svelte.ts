// The Watch page: one or two searches on the same board and budget. What runs is
// found again after a reload.

import { start, type Game } from "./game";
import type { BoardView, BudgetAsk, SolveAsk } from "./protocol";
import { searches, type Search } from "./searches.svelte";
import { keep, recall } from "./store";

export type Unit = "seconds" | "nodes" | "playouts";
export type Values = Record<string, number | boolean | string>;

/** One of the two: what is to run, and what runs. */
export class Lane {
  algorithm = $state("");
  preset = $state("default");
  /** What was set by hand. */
  values = $state<Values>({});
  search = $state.raw<Search | undefined>();

  constructor(
    readonly name: "a" | "b",
    algorithm: string,
    preset = "default",
  ) {
    this.algorithm = algorithm;
    this.preset = preset;
  }

  get label(): string {
    return this.preset === "default" ? this.algorithm : `${this.algorithm}:${this.preset}`;
  }
}

interface KeptLane {
  readonly algorithm: string;
  readonly preset: string;
  readonly values: Values;
  readonly search?: { readonly id: string; readonly ask: SolveAsk };
}

interface Kept {
  readonly view: BoardView;
  readonly base: number;
  readonly both: boolean;
  readonly unit: Unit;
  readonly amount: number;
  readonly seed: number;
  readonly lanes: readonly KeptLane[];
}

class Watching {
  /** The board, and the points that were made before it. */
  game = $state.raw<Game | undefined>();
  base = $state(0);
  both = $state(true);
  unit = $state<Unit>("seconds");
  amount = $state(20);
  seed = $state(1);
  readonly lanes = [new Lane("a", "sp-mcts"), new Lane("b", "nrpa")] as const;

  shown = $derived(this.both ? [...this.lanes] : [this.lanes[0]]);
  busy = $derived(this.shown.some((lane) => lane.search && !lane.search.ended));

  /** Goes on where the last visit to the page ended. */
  open(): void {
    if (this.game) return;
    const kept = recall<Kept>("watch", () => sessionStorage);
    if (!kept?.view?.rows) return;
    this.game = start(kept.view);
    ({ base: this.base, both: this.both, unit: this.unit, amount: this.amount, seed: this.seed } = kept);
    kept.lanes.forEach((old, index) => {
      const lane = this.lanes[index];
      if (!lane) return;
      [lane.algorithm, lane.preset, lane.values] = [old.algorithm, old.preset, old.values];
      if (old.search) lane.search = searches.attach(old.search.id, old.search.ask);
    });
  }

  /** Takes another board. */
  choose(view: BoardView, base: number): void {
    this.stop();
    for (const lane of this.lanes) lane.search = undefined;
    this.game = start(view);
    this.base = base;
    this.remember();
  }

  begin(): void {
    if (!this.game) return;
    this.stop();
    const { view } = this.game;
    const amount = Math.max(1, Math.round(this.amount));
    const budget: BudgetAsk = this.unit === "seconds" ? { time_ms: Math.round(this.amount * 1000) } : { [this.unit]: amount };
    for (const lane of this.lanes) {
      lane.search = undefined;
      if (!this.shown.includes(lane)) continue;
      const ask: SolveAsk = {
        board: view.rows,
        rules: view.rules.name,
        algorithm: `${lane.algorithm}:${lane.preset}`,
        params: { ...lane.values },
        seed: this.seed,
        budget,
      };
      lane.search = searches.begin(ask);
    }
    this.remember();
  }

  stop(): void {
    for (const lane of this.lanes) if (lane.search) searches.stop(lane.search);
  }

  remember(): void {
    if (!this.game) return;
    const lanes = this.lanes.map(({ algorithm, preset, values, search }): KeptLane => {
      const found = search && !search.ended ? { search: { id: search.id, ask: search.ask } } : {};
      return { algorithm, preset, values: { ...values }, ...found };
    });
    const { base, both, unit, amount, seed } = this;
    const kept: Kept = { view: this.game.view, base, both, unit, amount, seed, lanes };
    keep("watch", kept, () => sessionStorage);
  }
}

/** The page's own. */
export const watching = new Watching();
