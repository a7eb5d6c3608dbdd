import { describe, expect, it } from "vitest";
import { goTo, moves, now, order, playAll, remove, start } from "../src/lib/game";
import { cellName, readCell } from "../src/lib/notation";
import type { BoardView } from "../src/lib/protocol";
import { groupAt, groups, isCleared, isOver, readRows, score, writeRows } from "../src/lib/rules";
import vectors from "./vectors.json";

type Step = [cell: string, name: string, size: number, groups: number, score: number];
interface Vector {
  view: BoardView;
  steps: Step[];
  end: string;
  cleared: boolean;
}
const games = vectors as unknown as Vector[];

describe("the rules in the page are those of the engine", () => {
  it.each(games.map((game) => [`${game.view.board} ${game.view.rules.name}`, game] as const))(
    "%s",
    (_, { view, steps, end, cleared }) => {
      let game = start(view);
      expect(writeRows(now(game).position)).toBe(view.rows);
      for (const [cell, name, size, count, points] of steps) {
        const { position } = now(game);
        expect(isOver(position)).toBe(false);
        expect(groups(position).length).toBe(count);
        const group = groupAt(position, readCell(cell)!)!;
        expect(group.cells.length).toBe(size);
        expect(cellName(group.cells[0]!)).toBe(name);
        game = remove(game, readCell(cell)!);
        expect(now(game).move).toBe(name);
        expect(score(now(game).position, view.rules)).toBe(points);
      }
      const last = now(game).position;
      expect(isOver(last)).toBe(true);
      expect(groups(last)).toEqual([]);
      expect(isCleared(last)).toBe(cleared);
      expect(writeRows(last)).toBe(end);
    },
  );

  it("covers boards that are cleared and boards that are not", () => {
    expect(new Set(games.map((game) => game.cleared)).size).toBe(2);
    expect(games.reduce((sum, game) => sum + game.steps.length, 0)).toBeGreaterThan(500);
  });
});

describe("a game", () => {
  const view = games[0]!.view;
  const names = games[0]!.steps.map(([cell]) => cell);

  it("keeps its blocks while they fall", () => {
    let game = start(view);
    for (const name of names) {
      const before = now(game).blocks.flat();
      game = remove(game, readCell(name)!);
      const { blocks, position, group } = now(game);
      expect(blocks.map((column) => column.map((block) => block.colour))).toEqual(position.columns);
      const left = new Set(blocks.flat().map((block) => block.id));
      expect(before.length - left.size).toBe(group!.cells.length);
      expect(before.filter((block) => left.has(block.id)).every((block) => blocks.flat().includes(block))).toBe(true);
    }
    const taken = order(game);
    expect(taken.size + now(game).blocks.flat().length).toBe(start(view).frames[0]!.blocks.flat().length);
    expect(Math.max(...taken.values())).toBe(names.length);
  });

  it("is undone and redone without limit, and a new move forgets what was undone", () => {
    const whole = playAll(start(view), names);
    expect(moves(whole)).toEqual(games[0]!.steps.map(([, name]) => name));
    const back = goTo(whole, -5);
    expect(back.at).toBe(0);
    expect(moves(back)).toEqual([]);
    expect(goTo(back, 1e9)).toEqual(whole);
    const other = groups(now(back).position).at(-1)!.cells[0]!;
    const fresh = remove(back, other);
    expect(fresh.frames.length).toBe(2);
    expect(remove(back, { column: 99, row: 99 })).toBe(back);
  });

  it("plays moves of a link as far as they are legal", () => {
    expect(playAll(start(view), [names[0]!, "nonsense", names[1]!]).at).toBe(1);
  });
});

describe("cells", () => {
  it("have names", () => {
    for (const [column, row, name] of [[0, 0, "a1"], [14, 14, "o15"], [25, 0, "z1"], [26, 3, "aa4"], [31, 15, "af16"]] as const) {
      expect(cellName({ column, row })).toBe(name);
      expect(readCell(name)).toEqual({ column, row });
    }
    for (const text of ["", "a", "1", "a0", "a17", "ag1", "b2x", "a01", "é1"]) {
      expect(readCell(text), text).toBeUndefined();
    }
  });
});

describe("rows", () => {
  it("read back", () => {
    for (const rows of ["12/21", "1./22", "9/", "112233/", "3../31./311"]) {
      expect(writeRows(readRows(rows))).toBe(rows);
    }
  });
});
