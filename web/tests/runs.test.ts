import { describe, expect, it } from "vitest";
import { ago, hasReport, isLive, namedRun, size } from "../src/lib/runs";
import type { RunInfo } from "../src/lib/protocol";

const run: RunInfo = { name: "x", kind: "match", title: "Match", bytes: 10, changed: 1_000_000 };

describe("runs", () => {
  it("are live while results come", () => {
    expect(isLive(run, 1_030_000)).toBe(true);
    expect(isLive(run, 1_070_000)).toBe(false);
    expect(isLive({ ...run, bytes: 0 }, 1_000_001)).toBe(false);
  });

  it("say when and how much in words", () => {
    const since = (ms: number) => ago(0, ms);
    expect([since(-5), since(1000), since(59_400), since(61_000), since(7_300_000), since(2 * 86_400_000)]).toEqual([
      "0 seconds ago",
      "1 second ago",
      "59 seconds ago",
      "1 minute ago",
      "2 hours ago",
      "2 days ago",
    ]);
    expect([999, 1234, 45_678, 1_234_567, 98e6].map(size)).toEqual(["999 B", "1.2 kB", "46 kB", "1.2 MB", "98 MB"]);
  });

  it("have a report that is made, or one that they wrote", () => {
    const written = [{ name: "report.html", bytes: 5 }];
    expect(hasReport({ ...run, files: [] })).toBe(true);
    for (const kind of ["tuning", "training"] as const) {
      expect(hasReport({ ...run, kind, files: [] })).toBe(false);
      expect(hasReport({ ...run, kind, files: written })).toBe(true);
    }
  });

  it("are named by the address", () => {
    expect(namedRun("#/runs/schadd2012-table1-quick")).toBe("schadd2012-table1-quick");
    expect(namedRun("#/runs/a%20b")).toBe("a b");
    for (const none of ["#/runs", "#/runs/", "#/runs/a/b", "#/play", "#/runs/%E0%A4%A"]) expect(namedRun(none)).toBeUndefined();
  });
});
