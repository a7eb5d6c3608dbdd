// Hints: a short search from the position, shown in three steps, and "finish it for
// me", which plays what a longer one finds.

import { readCell } from "./notation";
import type { Frame, Game } from "./game";
import { now } from "./game";
import { groupAt, isOver, writeRows, type Group } from "./rules";
import { searches, type Search } from "./searches.svelte";

const HINT_MS = 2_000;
const FINISH_MS = 6_000;

/** 0: nothing; 1: where to look; 2: the move; 3: why. */
export type Step = 0 | 1 | 2 | 3;

class Hint {
  step = $state<Step>(0);
  search = $state.raw<Search | undefined>();
  /** Whether what is found shall be played to the end. */
  finishing = $state(false);
  #rows = "";

  /** The search has something to show for the position it is of. */
  ready = $derived(!!this.search?.line && this.search.ended);

  /** The hint is of this position. */
  isOf(frame: Frame | undefined): boolean {
    return !!frame && this.step > 0 && writeRows(frame.position) === this.#rows;
  }

  /** The group that the hint means. */
  group(frame: Frame | undefined): Group | undefined {
    const first = this.isOf(frame) && this.ready ? this.search?.line?.moves[0] : undefined;
    const cell = first ? readCell(first) : undefined;
    return cell && frame ? groupAt(frame.position, cell) : undefined;
  }

  /** The next step. True when a new hint was asked for. */
  more(game: Game): boolean {
    const frame = now(game);
    if (isOver(frame.position)) return false;
    if (this.isOf(frame)) {
      if (this.ready && this.step < 3) this.step = (this.step + 1) as Step;
      return false;
    }
    this.#begin(game, HINT_MS);
    return true;
  }

  /** Looks for the best way to finish. */
  finish(game: Game): void {
    if (isOver(now(game).position)) return;
    this.#begin(game, FINISH_MS);
    this.finishing = true;
  }

  #begin(game: Game, time_ms: number): void {
    this.clear();
    this.#rows = writeRows(now(game).position);
    this.step = 1;
    this.search = searches.begin({ board: this.#rows, rules: game.view.rules.name, budget: { time_ms } });
  }

  clear(): void {
    if (this.search) searches.stop(this.search);
    this.search = undefined;
    this.step = 0;
    this.finishing = false;
    this.#rows = "";
  }
}

/** The page's own. */
export const hint = new Hint();
