// Score over time as a picture: scales, ticks and the path of steps.

import type { Point } from "./searches.svelte";

/** A step path through the points up to `end`, in the units of the picture. */
export function steps(points: readonly Point[], end: number, x: (t: number) => number, y: (s: number) => number): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let path = `M${x(first[0]).toFixed(1)} ${y(first[1]).toFixed(1)}`;
  for (const [time, score] of rest) path += `H${x(time).toFixed(1)}V${y(score).toFixed(1)}`;
  return `${path}H${x(Math.max(end, points.at(-1)![0])).toFixed(1)}`;
}

/** Some round numbers between two others. */
export function ticks(low: number, high: number, wanted: number): number[] {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((size) => size >= rough)!;
  const found: number[] = [];
  for (let n = Math.ceil(low / step); n * step <= high + 1e-9 * span; n++) found.push(Number((n * step).toPrecision(12)));
  return found;
}
