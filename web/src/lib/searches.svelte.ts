// Searches on the server: one socket for the page, opened when it is needed. When it
// is lost the page reconnects and attaches to its searches again.

import type { Ask, InsightView, Reply, SolveAsk, Work } from "./protocol";
import { atOnce, Turns, withFrames } from "./turns";

/** How a search stands. */
export type Status = "asking" | "queued" | "running" | "paused" | "done" | "refused" | "failed" | "lost";

/** The best line so far. */
export interface Line {
  readonly score: number;
  readonly moves: readonly string[];
}

/** Seconds and score. */
export type Point = readonly [number, number];

const ENDED: readonly Status[] = ["done", "refused", "failed", "lost"];

/** A search, as far as it is known here. */
export class Search {
  status = $state<Status>("asking");
  ahead = $state(0);
  line = $state.raw<Line | undefined>();
  work = $state.raw<Work | undefined>();
  trail = $state.raw<readonly Point[]>([]);
  /** The latest look inside. */
  insight = $state.raw<InsightView | undefined>();
  /** Why it stopped, in the words of the server. */
  stop = $state("");
  /** What went wrong. */
  message = $state("");

  constructor(
    readonly id: string,
    readonly ask: SolveAsk,
    /** Whether to hear what is to be seen inside. */
    readonly looks = false,
  ) {}

  get ended(): boolean {
    return ENDED.includes(this.status);
  }

  get playoutsPerSecond(): number {
    return this.work && this.work.seconds > 0 ? this.work.playouts / this.work.seconds : 0;
  }

  /** Takes note of what the server says. */
  hear(reply: Reply): void {
    if (!("id" in reply)) return;
    switch (reply.event) {
      case "started":
        break;
      case "queued":
        this.status = "queued";
        this.ahead = reply.ahead;
        break;
      case "running":
        this.status = "running";
        break;
      case "paused":
        this.status = "paused";
        break;
      case "trail":
        this.trail = reply.points;
        break;
      case "best":
        this.line = { score: reply.score, moves: reply.moves };
        if (this.trail.at(-1)?.[1] !== reply.score) {
          this.trail = [...this.trail, [reply.seconds, reply.score]];
        }
        this.work = reply;
        break;
      case "insight":
        this.insight = reply.insight;
        this.work = reply;
        break;
      case "progress":
      case "checkpoint":
        this.work = reply;
        break;
      case "stopped":
        this.work = reply;
        this.stop = reply.stop;
        this.status = "done";
        break;
      case "refused":
        this.message = reply.message;
        this.status = "refused";
        break;
      case "failed":
        this.message = reply.message;
        this.status = "failed";
        break;
      case "unknown":
        if (!this.ended) this.status = "lost";
        break;
    }
  }
}

/** A name that nobody can guess. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** How long to wait before the nth attempt to reconnect, in milliseconds. */
export function patience(attempt: number): number {
  return Math.min(250 * 2 ** attempt, 4000);
}

/** The attempts after which searches are given up. */
const MOST_ATTEMPTS = 8;

export class Searches {
  /** Whether the server can be reached, as far as is known. */
  connected = $state(true);
  #socket: WebSocket | undefined;
  #searches = new Map<string, Search>();
  #attempts = 0;

  constructor(
    private readonly address: () => string,
    private readonly turns = new Turns(atOnce),
  ) {}

  /** Begins a search, and looks inside if that is wanted. */
  begin(ask: SolveAsk, looks = false): Search {
    return this.#add(new Search(newId(), ask, looks));
  }

  /** Hears again of a search that was begun before the page was reloaded. */
  attach(id: string, ask: SolveAsk): Search {
    const search = new Search(id, ask);
    search.status = "running";
    return this.#add(search);
  }

  stop(search: Search): void {
    if (search.ended || this.#send({ ask: "stop", id: search.id })) return;
    // Without a connection the server ends it by itself.
    [search.status, search.stop] = ["done", "interrupted"];
    this.#searches.delete(search.id);
  }

  pause(search: Search): void {
    this.#send({ ask: "pause", id: search.id });
  }

  resume(search: Search): void {
    this.#send({ ask: "resume", id: search.id });
  }

  #add(search: Search): Search {
    this.#searches.set(search.id, search);
    if (!this.#introduce(search)) this.#connect();
    return search;
  }

  /** Asks for a search that is new, and hears again of one that is not. */
  #introduce(search: Search): boolean {
    const { id, ask: what, looks } = search;
    if (search.status === "asking") return this.#send({ ask: "search", id, what, ...(looks && { insights: true }) });
    return this.#send({ ask: "attach", id });
  }

  /** False if there is no connection. */
  #send(ask: Ask): boolean {
    const open = this.#socket?.readyState === WebSocket.OPEN;
    if (open) this.#socket!.send(JSON.stringify(ask));
    return open;
  }

  #connect(): void {
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return;
    const socket = new WebSocket(this.address());
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.connected = true;
      this.#attempts = 0;
      for (const search of this.#searches.values()) this.#introduce(search);
    });
    socket.addEventListener("message", (message) => {
      const reply = JSON.parse(message.data as string) as Reply;
      if ("id" in reply) this.turns.add(reply.id, () => this.#hear(reply.id, reply));
    });
    socket.addEventListener("close", () => this.#closed());
  }

  #hear(id: string, reply: Reply): void {
    const search = this.#searches.get(id);
    search?.hear(reply);
    if (search?.ended) this.#searches.delete(id);
  }

  #closed(): void {
    const waiting = [...this.#searches.values()];
    if (waiting.length === 0) return;
    this.connected = false;
    if (this.#attempts >= MOST_ATTEMPTS) {
      for (const search of waiting) {
        search.status = "lost";
        search.message = "The server cannot be reached.";
      }
      this.#searches.clear();
      return;
    }
    setTimeout(() => this.#connect(), patience(this.#attempts++));
  }
}

/** The page's own. */
export const searches = new Searches(() => {
  const address = new URL("api/socket", document.baseURI);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.hash = "";
  return address.href;
}, new Turns(withFrames));
