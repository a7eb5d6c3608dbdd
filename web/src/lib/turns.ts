// Whose turn it is to be drawn. What searches say is let in frame by frame, one search
// in each: two that stream side by side need not be drawn in the same frame.

/** So many events of a search wait at most: then it is its turn, whatever is drawn. */
export const MOST_WAITING = 64;

export class Turns {
  #waiting = new Map<string, (() => void)[]>();
  #asked = false;

  /** `next` calls back when something can be drawn. */
  constructor(private readonly next: (then: () => void) => void) {}

  /** Takes an event of a search, to be let in with its others and in their order. */
  add(id: string, event: () => void): void {
    const events = this.#waiting.get(id) ?? [];
    events.push(event);
    this.#waiting.set(id, events);
    if (events.length >= MOST_WAITING) this.#letIn(id);
    else this.#ask();
  }

  #ask(): void {
    if (this.#asked || this.#waiting.size === 0) return;
    this.#asked = true;
    this.next(() => {
      this.#asked = false;
      // The one that waits longest.
      for (const id of this.#waiting.keys()) {
        this.#letIn(id);
        break;
      }
      this.#ask();
    });
  }

  #letIn(id: string): void {
    const events = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const event of events) event();
  }
}

/** Turns without waiting. */
export const atOnce = (then: () => void): void => then();

/** A turn with each frame; a page that nobody sees has none. */
export function withFrames(then: () => void): void {
  if (document.hidden) setTimeout(then);
  else requestAnimationFrame(() => then());
}
