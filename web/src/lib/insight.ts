// What is to be seen inside a search, made ready to be drawn.

import type { Frame } from "./game";
import { readCell } from "./notation";
import type { InsightView, LayerView, MoveView } from "./protocol";
import { groupAt } from "./rules";
import { whole } from "./format";

/** What the heat over the groups stands for. */
export type Measure = "visits" | "mean" | "best";
export const MEASURES: readonly Measure[] = ["visits", "mean", "best"];

export type TreeView = Extract<InsightView, { of: "tree" }>;

/** The heat of a block: of its group, and on one of its blocks the number. */
export interface Heat {
  /** From 0, cold, to 1, hot. */
  readonly strength: number;
  readonly text?: string;
}

/** A bar of a histogram: from a value up to another. */
export interface Bar {
  readonly label: string;
  readonly low: number;
  readonly high: number;
}

/** A number in the width of a block. */
export function tiny(value: number): string {
  const size = Math.abs(value);
  if (size < 10_000) return String(Math.round(value));
  if (size < 1e6) return `${Math.round(value / 1e3)}k`;
  return `${(value / 1e6).toFixed(size < 1e7 ? 1 : 0)}M`;
}

/** The least and the greatest of the moves. */
export function range(moves: readonly MoveView[], measure: Measure): readonly [number, number] {
  const values = moves.map((move) => move[measure]);
  return [Math.min(...values), Math.max(...values)];
}

/** How hot a value is between two others. Visits differ by powers: their roots are compared. */
export function strength(value: number, [low, high]: readonly [number, number], measure: Measure): number {
  if (measure === "visits") return Math.sqrt(value / Math.max(1, high));
  return high > low ? (value - low) / (high - low) : 1;
}

/** The heat of the blocks of a position, by their ids. */
export function heat(frame: Frame, moves: readonly MoveView[], measure: Measure): Map<number, Heat> {
  const found = new Map<number, Heat>();
  const limits = range(moves, measure);
  for (const move of moves) {
    const cell = readCell(move.move);
    const group = cell && groupAt(frame.position, cell);
    const hot = strength(move[measure], limits, measure);
    group?.cells.forEach(({ column, row }, index) => {
      const { id } = frame.blocks[column]![row]!;
      found.set(id, index === 0 ? { strength: hot, text: tiny(move[measure]) } : { strength: hot });
    });
  }
  return found;
}

/** From dark blue by grey to yellow: each step lighter than the one before, so that nobody
 * needs to tell hues apart. */
const RAMP: readonly (readonly [number, number, number])[] = [
  [0, 34, 78],
  [53, 69, 108],
  [102, 105, 112],
  [148, 142, 119],
  [200, 184, 102],
  [254, 232, 56],
];

/** The paint of a heat. */
export function paint(strength: number): string {
  const place = Math.max(0, Math.min(1, strength)) * (RAMP.length - 1);
  const below = Math.min(Math.floor(place), RAMP.length - 2);
  const mix = (channel: 0 | 1 | 2) => {
    const [from, to] = [RAMP[below]![channel], RAMP[below + 1]![channel]];
    return Math.round(from + (to - from) * (place - below));
  };
  return `rgb(${mix(0)} ${mix(1)} ${mix(2)})`;
}

/** Whether what is written on a heat has to be dark. */
export function isLight(strength: number): boolean {
  return strength > 0.47;
}

/** Positions or playouts by their depth, and in words. */
export function depths({ counted, depths: counts }: Pick<TreeView, "counted" | "depths">): {
  title: string;
  bars: Bar[];
  summary: string;
} {
  const bars = counts.map((count, depth) => ({ label: String(depth), low: 0, high: count }));
  const all = counts.reduce((sum, count) => sum + count, 0);
  const most = counts.indexOf(Math.max(...counts));
  const summary = `${whole(all)} ${counted}; most, ${whole(counts[most] ?? 0)}, at depth ${most}; the deepest at ${counts.length - 1}`;
  return { title: counted === "playouts" ? "Playouts by the depth where they begin" : "Positions by depth", bars, summary };
}

/** The positions kept of each layer, and their values from the last to the best. */
export function layers(found: readonly LayerView[]): { kept: Bar[]; values: Bar[]; summary: string } {
  const kept = found.map(({ layer, kept }) => ({ label: String(layer), low: 0, high: kept }));
  const values = found.map(({ layer, best, worst }) => ({ label: String(layer), low: worst, high: best }));
  const last = found.at(-1);
  const summary = last
    ? `${found.length} layers; layer ${last.layer} has ${whole(last.kept)} positions, worth ${whole(last.worst)} to ${whole(last.best)}`
    : "no layer yet";
  return { kept, values, summary };
}

/** A probability in hundredths. */
export function percent(probability: number): string {
  return `${Math.round(100 * probability)} %`;
}
