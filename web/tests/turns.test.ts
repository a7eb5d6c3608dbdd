import { describe, expect, it } from "vitest";
import { atOnce, MOST_WAITING, Turns } from "../src/lib/turns";

describe("turns", () => {
  /** Frames that the test lets come. */
  function stage() {
    const asked: (() => void)[] = [];
    const heard: string[] = [];
    const turns = new Turns((then) => asked.push(then));
    const say = (id: string, what: string) => turns.add(id, () => heard.push(id + what));
    const frame = () => asked.splice(0).forEach((then) => then());
    return { asked, heard, say, frame };
  }

  it("let one search in with each frame, the one that waits longest first", () => {
    const { heard, say, frame } = stage();
    for (const what of ["1", "2"]) for (const id of ["a", "b"]) say(id, what);
    expect(heard).toEqual([]);
    frame();
    expect(heard).toEqual(["a1", "a2"]);
    say("a", "3");
    frame();
    expect(heard.slice(2)).toEqual(["b1", "b2"]);
    frame();
    expect(heard.slice(4)).toEqual(["a3"]);
  });

  it("ask for a frame only while something waits, and once", () => {
    const { asked, say, frame } = stage();
    say("a", "1");
    say("a", "2");
    expect(asked.length).toBe(1);
    frame();
    expect(asked.length).toBe(0);
    say("a", "3");
    expect(asked.length).toBe(1);
  });

  it("let events in without a frame before too many wait", () => {
    const { heard, say, frame } = stage();
    say("b", "1");
    for (let n = 0; n < 10 * MOST_WAITING + 1; n++) say("a", String(n));
    expect(heard.length).toBe(10 * MOST_WAITING);
    expect(heard.at(-1)).toBe(`a${10 * MOST_WAITING - 1}`);
    frame();
    frame();
    expect(heard.slice(-2)).toEqual(["b1", `a${10 * MOST_WAITING}`]);
  });

  it("need no frames at all", () => {
    const heard: number[] = [];
    const turns = new Turns(atOnce);
    for (const n of [1, 2, 3]) turns.add("a", () => heard.push(n));
    expect(heard).toEqual([1, 2, 3]);
  });
});
