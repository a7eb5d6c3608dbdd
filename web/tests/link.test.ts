import { describe, expect, it } from "vitest";
import { readLink, writeLink } from "../src/lib/link";

describe("a link", () => {
  it("carries board, rules and moves", () => {
    for (const shared of [
      { board: "std:1", rules: "samegame", moves: [] },
      { board: "random:7:6x3x4;counts=5,5,4,4", rules: "codingame", moves: ["a1", "aa16"] },
      { board: "1./22", rules: "(n-2)^2;clear=1000;left=-max(m-2,0)^2", moves: ["a1"] },
    ]) {
      const link = writeLink(shared);
      expect(readLink(link)).toEqual(shared);
      expect(new URL(`http://localhost/${link}`).hash).toBe(link);
    }
    expect(writeLink({ board: "std:1", rules: "samegame", moves: ["a1", "b2"] })).toBe("#/play?board=std:1&moves=a1.b2");
  });

  it("is nothing else", () => {
    for (const hash of ["", "#", "#/watch", "#/play", "#/play?moves=a1"]) expect(readLink(hash)).toBeUndefined();
  });
});
