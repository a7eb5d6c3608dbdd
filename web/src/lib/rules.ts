// SameGame in the page, so that every move is answered at once. The engine in Rust
// is the truth: tests/rules.test.ts plays its games move for move.

import type { RulesView } from "./protocol";

/** The colours of each column from the bottom up, 1 to 9; empty columns last. */
export type Columns = readonly (readonly number[])[];

/** A cell: a column from the left and a row from the bottom, both from 0. */
export interface Cell {
  readonly column: number;
  readonly row: number;
}

/** A position, with the size of the board it is on. */
export interface Position {
  readonly width: number;
  readonly height: number;
  readonly columns: Columns;
  /** Points of the moves so far, without what the end adds. */
  readonly points: number;
}

/** A group of two or more blocks. */
export interface Group {
  readonly colour: number;
  /** Its cells, column by column from the bottom; the first names it. */
  readonly cells: readonly Cell[];
}

/** The board of rows from the top with `/` between them, `.` for empty. */
export function readRows(rows: string): Position {
  const lines = rows.split("/").filter((line) => line !== "");
  const height = lines.length;
  const width = lines[0]?.length ?? 0;
  const columns: number[][] = [];
  for (let column = 0; column < width; column++) {
    const blocks: number[] = [];
    for (let row = height - 1; row >= 0; row--) {
      const symbol = lines[row]?.[column] ?? ".";
      if (symbol === ".") break;
      blocks.push(Number(symbol));
    }
    columns.push(blocks);
  }
  return { width, height, columns, points: 0 };
}

/** The rows of a position, as [`readRows`] reads them. */
export function writeRows(position: Position): string {
  const rows: string[] = [];
  for (let row = position.height - 1; row >= 0; row--) {
    let text = "";
    for (let column = 0; column < position.width; column++) {
      text += colourAt(position, { column, row }) || ".";
    }
    rows.push(text);
  }
  return rows.length === 1 ? `${rows[0]}/` : rows.join("/");
}

/** The colour at a cell, 0 for empty. */
export function colourAt(position: Position, cell: Cell): number {
  return position.columns[cell.column]?.[cell.row] ?? 0;
}

/** The group that covers a cell, if it has two or more blocks. */
export function groupAt(position: Position, cell: Cell): Group | undefined {
  const colour = colourAt(position, cell);
  if (colour === 0) return undefined;
  const { height } = position;
  const seen = new Set<number>([cell.column * height + cell.row]);
  const found = [...seen];
  for (const index of found) {
    const column = Math.floor(index / height);
    const row = index % height;
    for (const [x, y] of [[column + 1, row], [column - 1, row], [column, row + 1], [column, row - 1]]) {
      if (x! < 0 || y! < 0 || y! >= height) continue;
      const next = x! * height + y!;
      if (!seen.has(next) && colourAt(position, { column: x!, row: y! }) === colour) {
        seen.add(next);
        found.push(next);
      }
    }
  }
  if (found.length < 2) return undefined;
  found.sort((a, b) => a - b);
  const cells = found.map((index) => ({ column: Math.floor(index / height), row: index % height }));
  return { colour, cells };
}

/** Every group, in the order of its first cell. */
export function groups(position: Position): Group[] {
  const all: Group[] = [];
  const seen = new Set<number>();
  for (let column = 0; column < position.columns.length; column++) {
    for (let row = 0; row < position.columns[column]!.length; row++) {
      if (seen.has(column * position.height + row)) continue;
      const group = groupAt(position, { column, row });
      if (!group) continue;
      for (const cell of group.cells) seen.add(cell.column * position.height + cell.row);
      all.push(group);
    }
  }
  return all;
}

/** Takes a group out of columns of anything; what is above falls, columns close up. */
export function collapse<T>(columns: readonly (readonly T[])[], group: Group): T[][] {
  const gone = new Map<number, Set<number>>();
  for (const { column, row } of group.cells) {
    gone.set(column, (gone.get(column) ?? new Set()).add(row));
  }
  const left = columns.map((blocks, column) => {
    const rows = gone.get(column);
    return rows ? blocks.filter((_, row) => !rows.has(row)) : [...blocks];
  });
  const full = left.filter((blocks) => blocks.length > 0);
  return [...full, ...left.filter((blocks) => blocks.length === 0)];
}

/** The position after a group is removed. */
export function play(position: Position, group: Group, rules: RulesView): Position {
  const points = position.points + (rules.points[group.cells.length] ?? 0);
  return { ...position, columns: collapse(position.columns, group), points };
}

/** Whether no group is left. */
export function isOver(position: Position): boolean {
  const { columns } = position;
  return !columns.some((blocks, column) =>
    blocks.some((colour, row) => blocks[row + 1] === colour || columns[column + 1]?.[row] === colour),
  );
}

/** Whether no block is left. */
export function isCleared(position: Position): boolean {
  return position.columns.every((blocks) => blocks.length === 0);
}

/** Blocks left of each colour; the index is the colour. */
export function counts(position: Position): number[] {
  const all = new Array<number>(10).fill(0);
  for (const blocks of position.columns) for (const colour of blocks) all[colour]!++;
  return all;
}

/** The points so far, and at the end the final score. */
export function score(position: Position, rules: RulesView): number {
  if (isCleared(position)) return position.points + rules.clear;
  if (!isOver(position)) return position.points;
  const left = counts(position).reduce((sum, blocks) => sum + (rules.left[blocks] ?? 0), 0);
  return position.points + left;
}
