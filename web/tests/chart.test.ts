import { describe, expect, it } from "vitest";
import { steps, ticks } from "../src/lib/chart";
import { short, signed, whole } from "../src/lib/format";

describe("a chart", () => {
  it("has steps to the end", () => {
    const same = (n: number) => n;
    expect(steps([], 9, same, same)).toBe("");
    expect(steps([[1, 5], [2, 7]], 4, same, same)).toBe("M1.0 5.0H2.0V7.0H4.0");
    expect(steps([[6, 5]], 4, same, same)).toBe("M6.0 5.0H6.0");
  });

  it("has round ticks", () => {
    expect(ticks(0, 10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(ticks(1230, 3410, 4)).toEqual([2000, 3000]);
    expect(ticks(0, 0.3, 3)).toEqual([0, 0.1, 0.2, 0.3]);
    expect(ticks(5, 5, 3)).toEqual([5]);
  });
});

describe("numbers", () => {
  it("are for people", () => {
    expect([whole(1234), whole(-5), signed(9), signed(-1)]).toEqual(["1,234", "−5", "+9", "−1"]);
    expect([short(999), short(12_345), short(2_345_678)]).toEqual(["999", "12.3 k", "2.35 M"]);
  });
});
