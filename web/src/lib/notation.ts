// Cells by name: a column letter (a to z, then aa to af) and a row from the bottom.

import type { Cell } from "./rules";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** The name of a column. */
export function columnName(column: number): string {
  return column < 26 ? LETTERS[column]! : `a${LETTERS[column - 26]}`;
}

/** The name of a cell. */
export function cellName(cell: Cell): string {
  return `${columnName(cell.column)}${cell.row + 1}`;
}

/** The cell of a name, if it is one. */
export function readCell(text: string): Cell | undefined {
  const match = /^(a?[a-z])([1-9][0-9]?)$/.exec(text.trim().toLowerCase());
  if (!match) return undefined;
  const [, letters, digits] = match;
  const last = LETTERS.indexOf(letters!.at(-1)!);
  const column = letters!.length === 1 ? last : 26 + last;
  const row = Number(digits) - 1;
  return column < 32 && row < 16 ? { column, row } : undefined;
}
