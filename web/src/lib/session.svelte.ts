// The game on the Play page: what the player does, kept over reloads and in the
// address.

import { fetchBoard, Trouble } from "./api";
import { colourName } from "./colours";
import { count, signed, whole } from "./format";
import { goTo, moves, now, playAll, remove, start, type Game } from "./game";
import { readLink, writeLink, type Shared } from "./link";
import type { BoardView } from "./protocol";
import { counts, isCleared, isOver, score, type Cell } from "./rules";
import { keep, recall } from "./store";

interface Kept {
  readonly view: BoardView;
  readonly moves: readonly string[];
  readonly at: number;
  readonly hints: number;
}

class Session {
  game = $state.raw<Game | undefined>();
  /** How many hints were taken in this game. */
  hints = $state(0);
  /** What has just happened, for those who listen. */
  said = $state("");
  trouble = $state("");
  loading = $state(false);

  frame = $derived(this.game && now(this.game));
  score = $derived(this.game && this.frame ? score(this.frame.position, this.game.view.rules) : 0);
  over = $derived(!!this.frame && isOver(this.frame.position));
  cleared = $derived(!!this.frame && isCleared(this.frame.position));
  counts = $derived(this.frame ? counts(this.frame.position) : []);
  left = $derived(this.counts.reduce((sum, blocks) => sum + blocks, 0));

  /** The game of the address, else the one that was kept, else the first board. */
  async open(): Promise<void> {
    const shared = readLink(location.hash);
    const kept = recall<Kept>("game");
    if (kept?.view?.rows && (!shared || this.#isThat(kept, shared))) {
      const whole = playAll(start(kept.view), kept.moves);
      this.game = goTo(whole, kept.at);
      this.hints = kept.hints;
      this.#remember();
      return;
    }
    await this.begin(shared ?? { board: "std:1", rules: "samegame", moves: [] });
  }

  #isThat(kept: Kept, shared: Shared): boolean {
    const own = writeLink({ board: kept.view.board, rules: kept.view.rules.name, moves: kept.moves.slice(0, kept.at) });
    return own === writeLink(shared);
  }

  /** Begins a game; false, and nothing changed, if there is no such board. */
  async begin(shared: Shared): Promise<boolean> {
    this.loading = true;
    this.trouble = "";
    try {
      const view = await fetchBoard(shared.board, shared.rules);
      this.game = playAll(start(view), shared.moves);
      this.hints = 0;
      this.said = `New game: ${view.board.length > 40 ? "a board of your own" : view.board}`;
      if (this.game.at < shared.moves.length) {
        this.trouble = `Move ${this.game.at + 1} of the link is not legal here; the moves before it were played.`;
      }
      this.#remember();
      return true;
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      this.trouble = error.message;
      return false;
    } finally {
      this.loading = false;
    }
  }

  /** Removes the group at a cell. */
  remove(cell: Cell): boolean {
    if (!this.game) return false;
    const before = this.score;
    const next = remove(this.game, cell);
    if (next === this.game) return false;
    this.game = next;
    const { group } = now(next);
    const blocks = `${group!.cells.length} ${colourName(group!.colour)}`;
    this.said = `Removed ${blocks}, ${signed(this.score - before)}, ${whole(this.left)} left.${this.#ending()}`;
    this.#remember();
    return true;
  }

  #ending(): string {
    if (this.cleared) return ` Board cleared: ${whole(this.score)} points.`;
    return this.over ? ` No groups left: ${whole(this.score)} points.` : "";
  }

  undo(): void {
    this.#go(-1, "Undone");
  }

  redo(): void {
    this.#go(1, "Redone");
  }

  /** Back to the start; everything can be redone. */
  restart(): void {
    if (this.game) this.#go(-this.game.at, "Back to the start");
  }

  #go(by: number, word: string): void {
    if (!this.game) return;
    const next = goTo(this.game, this.game.at + by);
    if (next.at === this.game.at) return;
    this.game = next;
    this.said = `${word}. ${whole(this.score)} points, ${count(this.left, "block")} left.`;
    this.#remember();
  }

  countHint(): void {
    this.hints++;
    this.#remember();
  }

  /** What a link to this game carries. */
  get shared(): Shared | undefined {
    const { game } = this;
    return game && { board: game.view.board, rules: game.view.rules.name, moves: moves(game) };
  }

  #remember(): void {
    const { game } = this;
    if (!game) return;
    const all = moves(goTo(game, game.frames.length));
    keep("game", { view: game.view, moves: all, at: game.at, hints: this.hints } satisfies Kept);
    this.showAddress();
  }

  /** Puts the game into the address, where the Play page is shown. */
  showAddress(): void {
    const onPlay = location.hash === "" || location.hash === "#/" || location.hash.startsWith("#/play");
    if (onPlay && this.shared) history.replaceState(null, "", writeLink(this.shared));
  }
}

/** The page's own. */
export const session = new Session();
