import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { patience, Searches } from "../src/lib/searches.svelte";

/** A socket that the test holds the other end of. */
class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: { ask: string; id: string }[] = [];

  constructor(readonly address: string) {
    super();
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }
  say(reply: object): void {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(reply) }));
  }
  close(): void {
    this.readyState = 3;
    this.dispatchEvent(new Event("close"));
  }
}

const WORK = { playouts: 100, nodes: 10, average_depth: 2, deepest: 5, seconds: 0.5 };

describe("searches", () => {
  beforeEach(() => {
    FakeSocket.all = [];
    vi.stubGlobal("WebSocket", FakeSocket);
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const last = () => FakeSocket.all.at(-1)!;

  it("tell how they stand", () => {
    const search = new Searches(() => "ws://x").begin({ board: "std:1" });
    last().open();
    const { id } = search;
    expect(last().sent).toEqual([{ ask: "search", id, what: { board: "std:1" } }]);
    last().say({ event: "hello", protocol: 1 });
    last().say({ event: "queued", id, ahead: 3 });
    expect([search.status, search.ahead]).toEqual(["queued", 3]);
    last().say({ event: "running", id });
    last().say({ event: "best", id, score: 40, moves: ["a1"], ...WORK });
    last().say({ event: "best", id, score: 40, moves: ["a1"], ...WORK });
    expect(search.line).toEqual({ score: 40, moves: ["a1"] });
    expect(search.trail).toEqual([[0.5, 40]]);
    expect(search.playoutsPerSecond).toBe(200);
    last().say({ event: "stopped", id, stop: "time-limit", ...WORK });
    expect([search.status, search.stop, search.ended]).toEqual(["done", "time-limit", true]);
  });

  it("are found again when the socket was lost", () => {
    const all = new Searches(() => "ws://x");
    const search = all.begin({ board: "std:1" });
    last().open();
    last().say({ event: "running", id: search.id });
    last().close();
    expect(all.connected).toBe(false);
    vi.advanceTimersByTime(patience(0));
    expect(FakeSocket.all.length).toBe(2);
    last().open();
    expect(all.connected).toBe(true);
    expect(last().sent).toEqual([{ ask: "attach", id: search.id }]);
    last().say({ event: "trail", id: search.id, points: [[1, 2]] });
    expect(search.trail).toEqual([[1, 2]]);
    last().say({ event: "unknown", id: search.id });
    expect(search.status).toBe("lost");
  });

  it("are given up when the server stays away", () => {
    const search = new Searches(() => "ws://x").begin({ board: "std:1" });
    for (let n = 0; n < 20 && !search.ended; n++) {
      last().close();
      vi.advanceTimersByTime(patience(n));
    }
    expect(search.status).toBe("lost");
    expect(search.message).toContain("cannot be reached");
    const sockets = FakeSocket.all.length;
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.all.length).toBe(sockets);
  });

  it("are asked for when the server comes late, and stopped without it", () => {
    const all = new Searches(() => "ws://x");
    const [first, second] = [all.begin({ board: "std:1" }), all.begin({ board: "std:2" })];
    last().close();
    all.stop(second);
    expect([second.status, second.stop]).toEqual(["done", "interrupted"]);
    vi.advanceTimersByTime(patience(0));
    last().open();
    expect(last().sent.map(({ ask, id }) => [ask, id])).toEqual([["search", first.id]]);
  });

  it("have ids that nobody guesses", () => {
    const all = new Searches(() => "ws://x");
    const ids = new Set(Array.from({ length: 50 }, () => all.begin({ board: "std:1" }).id));
    expect(ids.size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });
});
