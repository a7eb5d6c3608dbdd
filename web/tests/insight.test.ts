import { describe, expect, it } from "vitest";
import { now, start } from "../src/lib/game";
import { depths, heat, isLight, layers, paint, strength, tiny } from "../src/lib/insight";
import type { BoardView, MoveView } from "../src/lib/protocol";

const view: BoardView = {
  board: "x",
  rows: "112/122",
  rules: { name: "samegame", points: [0, 0, 0, 1, 4, 9, 16], clear: 1000, left: [0, 0, 0, 0, 0, 0, 0] },
  best_known: null,
};
const moves: MoveView[] = [
  { move: "a1", visits: 64, mean: 10, best: 20 },
  { move: "b1", visits: 4, mean: 30, best: 40 },
];
/** The relative luminance of a paint. */
function luminance(text: string): number {
  const channels = text.match(/\d+/g)!.map((part) => Number(part) / 255);
  const [r, g, b] = channels.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

describe("heat", () => {
  it("covers the groups that were tried, with a number on one block of each", () => {
    const found = heat(now(start(view)), moves, "mean");
    expect([...found.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5]);
    const texts = [...found.values()].flatMap(({ text }) => text ?? []);
    expect(texts.sort()).toEqual(["10", "30"]);
    // Ids count up the columns: a1 is block 0, b1 block 2.
    expect(found.get(0)).toEqual({ strength: 0, text: "10" });
    expect(found.get(2)).toEqual({ strength: 1, text: "30" });
    expect(heat(now(start(view)), [], "visits").size).toBe(0);
  });

  it("grows with the value", () => {
    expect(strength(16, [1, 64], "visits")).toBe(0.5);
    expect(strength(25, [20, 30], "mean")).toBe(0.5);
    expect(strength(7, [7, 7], "best")).toBe(1);
  });

  it("is told apart by lightness, and its numbers can be read", () => {
    let darker = -1;
    for (let hot = 0; hot <= 1; hot += 0.005) {
      const light = luminance(paint(hot));
      expect(light).toBeGreaterThanOrEqual(darker);
      darker = light;
      const ink = isLight(hot) ? 0 : 1;
      const contrast = (Math.max(light, ink) + 0.05) / (Math.min(light, ink) + 0.05);
      expect(contrast).toBeGreaterThan(4.5);
    }
  });

  it("has numbers as wide as a block", () => {
    expect([0, 9999, 12_345, 1_234_567, 45e6, -3000].map(tiny)).toEqual(["0", "9999", "12k", "1.2M", "45M", "-3000"]);
  });
});

describe("histograms", () => {
  it("say in words what they show", () => {
    const { title, bars, summary } = depths({ counted: "positions", depths: [1, 5, 3] });
    expect(title).toBe("Positions by depth");
    expect(bars.map(({ label, high }) => [label, high])).toEqual([["0", 1], ["1", 5], ["2", 3]]);
    expect(summary).toBe("9 positions; most, 5, at depth 1; the deepest at 2");
    expect(depths({ counted: "playouts", depths: [0, 4] }).summary).toBe("4 playouts; most, 4, at depth 1; the deepest at 1");
    const beam = layers([{ layer: 1, kept: 7, best: 40, worst: -5 }]);
    expect(beam.values).toEqual([{ label: "1", low: -5, high: 40 }]);
    expect(beam.summary).toBe("1 layers; layer 1 has 7 positions, worth −5 to 40");
    expect(layers([]).summary).toBe("no layer yet");
  });
});
