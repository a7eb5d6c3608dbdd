// A game that is played: a board, its rules, the moves, and how far they are undone.

import { cellName, readCell } from "./notation";
import type { BoardView } from "./protocol";
import { collapse, groupAt, play, readRows, type Cell, type Group, type Position } from "./rules";

/** A block, which keeps its identity while it falls. */
export interface Block {
  readonly id: number;
  readonly colour: number;
}

/** Where a game stands after some of its moves. */
export interface Frame {
  readonly position: Position;
  /** The same columns as in the position, as blocks. */
  readonly blocks: readonly (readonly Block[])[];
  /** The move that led here, by its name; none at the start. */
  readonly move?: string;
  /** The group it removed. */
  readonly group?: Group;
}

/** A game with all its frames; `at` is the one that is shown. */
export interface Game {
  readonly view: BoardView;
  readonly frames: readonly Frame[];
  readonly at: number;
}

/** A new game on a board. */
export function start(view: BoardView): Game {
  const position = readRows(view.rows);
  const blocks = position.columns.map((column, x) =>
    column.map((colour, y) => ({ id: x * position.height + y, colour })),
  );
  return { view, frames: [{ position, blocks }], at: 0 };
}

/** The frame that is shown. */
export function now(game: Game): Frame {
  return game.frames[game.at]!;
}

/** The moves up to the frame that is shown. */
export function moves(game: Game): string[] {
  return game.frames.slice(1, game.at + 1).map((frame) => frame.move!);
}

/** Removes the group at a cell. What was undone is forgotten. No change if there is
 * no group. */
export function remove(game: Game, cell: Cell): Game {
  const frame = now(game);
  const group = groupAt(frame.position, cell);
  if (!group) return game;
  const next: Frame = {
    position: play(frame.position, group, game.view.rules),
    blocks: collapse(frame.blocks, group),
    move: cellName(group.cells[0]!),
    group,
  };
  return { ...game, frames: [...game.frames.slice(0, game.at + 1), next], at: game.at + 1 };
}

/** Plays moves by name, as far as they are legal. */
export function playAll(game: Game, names: readonly string[]): Game {
  for (const name of names) {
    const cell = readCell(name);
    const next = cell ? remove(game, cell) : game;
    if (next === game) break;
    game = next;
  }
  return game;
}

/** Shows another frame; the others stay. */
export function goTo(game: Game, at: number): Game {
  return { ...game, at: Math.max(0, Math.min(at, game.frames.length - 1)) };
}

/** For every block of the start, the number of the move that takes it; those that
 * stay are missing. */
export function order(game: Game): Map<number, number> {
  const taken = new Map<number, number>();
  for (let index = 1; index < game.frames.length; index++) {
    const { blocks } = game.frames[index - 1]!;
    for (const { column, row } of game.frames[index]!.group!.cells) {
      taken.set(blocks[column]![row]!.id, index);
    }
  }
  return taken;
}
