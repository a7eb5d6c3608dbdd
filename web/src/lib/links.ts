// ColorShapeLinks in the page: pieces drop at once, and the page knows when a game is
// over. The rules in Rust are the truth: tests/links.test.ts plays their games.

import type { LayoutView } from "./protocol";

export type Player = "white" | "red";
export type Shape = "round" | "square";

export interface Piece {
  readonly colour: Player;
  readonly shape: Shape;
}

export interface Cell {
  readonly column: number;
  readonly row: number;
}

/** The board of the competition. */
export const LAYOUT: LayoutView = { rows: 6, cols: 7, line: 4, rounds: 10, squares: 11 };

/** A position. */
export interface Links {
  readonly layout: LayoutView;
  /** Columns from the left, pieces from the bottom. */
  readonly columns: readonly (readonly Piece[])[];
  /** The moves that led here, such as `3o`. */
  readonly moves: readonly string[];
}

/** A line that decided a game. */
export interface Line {
  readonly winner: Player;
  /** Whether the line is of one shape or of one colour. */
  readonly of: "shape" | "colour";
  readonly cells: readonly Cell[];
}

/** How a game ended. */
export type Result = Line | "draw";

/** An empty board. */
export function begin(layout: LayoutView = LAYOUT): Links {
  return { layout, columns: Array.from({ length: layout.cols }, () => []), moves: [] };
}

/** Who moves next. */
export function toMove(links: Links): Player {
  return links.moves.length % 2 === 0 ? "white" : "red";
}

/** Whose line of a shape wins. */
export function owner(shape: Shape): Player {
  return shape === "round" ? "white" : "red";
}

/** How many pieces of a shape a player has left. */
export function supply(links: Links, player: Player, shape: Shape): number {
  const start = shape === "round" ? links.layout.rounds : links.layout.squares;
  const used = links.columns.flat().filter((piece) => piece.colour === player && piece.shape === shape);
  return start - used.length;
}

/** A move as it is written. */
export function writeMove(column: number, shape: Shape): string {
  return `${column}${shape === "round" ? "o" : "s"}`;
}

/** A move as it was written, if it is one. */
export function readMove(text: string): { column: number; shape: Shape } | undefined {
  const match = /^(\d{1,3})([os])$/.exec(text);
  if (!match) return undefined;
  return { column: Number(match[1]), shape: match[2] === "o" ? "round" : "square" };
}

/** Whether a piece may be dropped there. */
export function mayDrop(links: Links, column: number, shape: Shape): boolean {
  const pieces = links.columns[column];
  return (
    !!pieces && pieces.length < links.layout.rows && supply(links, toMove(links), shape) > 0 && result(links) === undefined
  );
}

/** Every legal move. */
export function legal(links: Links): string[] {
  const shapes: Shape[] = ["round", "square"];
  return links.columns.flatMap((_, column) =>
    shapes.filter((shape) => mayDrop(links, column, shape)).map((shape) => writeMove(column, shape)),
  );
}

/** Drops a piece; no change if that is not legal. */
export function drop(links: Links, move: string): Links {
  const read = readMove(move);
  if (!read || !mayDrop(links, read.column, read.shape)) return links;
  const piece: Piece = { colour: toMove(links), shape: read.shape };
  const columns = links.columns.map((pieces, column) => (column === read.column ? [...pieces, piece] : pieces));
  return { ...links, columns, moves: [...links.moves, move] };
}

/** Drops pieces, as far as they are legal. */
export function dropAll(links: Links, moves: readonly string[]): Links {
  for (const move of moves) {
    const next = drop(links, move);
    if (next === links) break;
    links = next;
  }
  return links;
}

/** The position some moves ago. */
export function takeBack(links: Links, moves: number): Links {
  return dropAll(begin(links.layout), links.moves.slice(0, Math.max(0, links.moves.length - moves)));
}

/** How the game ended, if it did: lines of shapes count before lines of colours. */
export function result(links: Links): Result | undefined {
  const kinds: readonly { winner: Player; of: Line["of"]; fits: (piece: Piece) => boolean }[] = [
    { winner: "white", of: "shape", fits: ({ shape }) => shape === "round" },
    { winner: "red", of: "shape", fits: ({ shape }) => shape === "square" },
    { winner: "white", of: "colour", fits: ({ colour }) => colour === "white" },
    { winner: "red", of: "colour", fits: ({ colour }) => colour === "red" },
  ];
  for (const { winner, of, fits } of kinds) {
    const cells = findLine(links, fits);
    if (cells) return { winner, of, cells };
  }
  const { rows, cols, rounds, squares } = links.layout;
  const most = Math.min(rows * cols, 2 * (rounds + squares));
  return links.moves.length >= most ? "draw" : undefined;
}

function findLine(links: Links, fits: (piece: Piece) => boolean): Cell[] | undefined {
  const { rows, cols, line } = links.layout;
  for (let column = 0; column < cols; column++) {
    for (let row = 0; row < rows; row++) {
      for (const [right, up] of [[1, 0], [0, 1], [1, 1], [-1, 1]] as const) {
        const cells = Array.from({ length: line }, (_, n) => ({ column: column + n * right, row: row + n * up }));
        const whole = cells.every((cell) => {
          const piece = links.columns[cell.column]?.[cell.row];
          return piece !== undefined && fits(piece);
        });
        if (whole) return cells;
      }
    }
  }
  return undefined;
}
