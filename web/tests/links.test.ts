import { describe, expect, it } from "vitest";
import { begin, drop, dropAll, legal, result, supply, takeBack, toMove } from "../src/lib/links";
import type { LayoutView } from "../src/lib/protocol";
import vectors from "./links-vectors.json";

interface Vector {
  layout: LayoutView;
  moves: string[];
  choices: number[];
  result: "white" | "red" | "draw";
}
const games = vectors as unknown as Vector[];

describe("the rules for two are those of the engine", () => {
  it.each(games.map((game, index) => [index, game] as const))("game %d", (_, { layout, moves, choices, result: end }) => {
    let links = begin(layout);
    moves.forEach((move, index) => {
      expect(result(links)).toBeUndefined();
      expect(legal(links).length).toBe(choices[index]);
      const next = drop(links, move);
      expect(next).not.toBe(links);
      links = next;
    });
    const found = result(links);
    expect(found === "draw" ? "draw" : found?.winner).toBe(end);
    expect(legal(links)).toEqual([]);
    if (found !== undefined && found !== "draw") expect(found.cells.length).toBe(layout.line);
  });

  it("covers every end", () => {
    expect(new Set(games.map((game) => game.result)).size).toBe(3);
  });
});

describe("a game for two", () => {
  it("loses by its own move when the shape is the other's", () => {
    const links = dropAll(begin(), ["0s", "1s", "2s", "6o", "3s"]);
    expect(result(links)).toMatchObject({ winner: "red", of: "shape" });
  });

  it("is taken back", () => {
    const links = dropAll(begin(), ["3o", "2s", "3o"]);
    expect([toMove(links), supply(links, "white", "round"), supply(links, "red", "square")]).toEqual(["red", 8, 10]);
    expect(takeBack(links, 2).moves).toEqual(["3o"]);
    expect(takeBack(links, 9).moves).toEqual([]);
    expect(drop(links, "9o")).toBe(links);
    expect(drop(links, "hello")).toBe(links);
  });
});
