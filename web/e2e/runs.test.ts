import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BINARY, serious, stage } from "./harness";

const folder = mkdtempSync(join(tmpdir(), "solitree-runs-"));
mkdirSync(join(folder, "old-tuning"));
writeFileSync(join(folder, "old-tuning", "tuning.toml"), "");
const report = join(folder, "old-tuning", "report.html");
writeFileSync(report, "<!doctype html><title>t</title><h1>Iteration one</h1>");
utimesSync(report, 1_700_000_000, 1_700_000_000);
const on = stage(["--runs", folder]);

describe("runs", () => {
  it("are listed, opened and followed", async () => {
    execFileSync(BINARY, ["match", "random", "uct,budget=1", "--games", "4", "--playouts", "20", "--quiet", "--out", join(folder, "two")]);
    const page = await on.page();
    await page.goto(`${on.address}#/runs`);
    await page.getByRole("link", { name: "two" }).waitFor();
    expect(await page.locator("tbody tr").first().innerText()).toContain("running");
    expect(await serious(page)).toEqual([]);
    await page.getByRole("link", { name: "two" }).focus();
    await page.keyboard.press("Enter");
    const frame = page.frameLocator("iframe");
    await frame.getByText("4 games so far").waitFor();
    await page.getByRole("link", { name: "games.jsonl" }).waitFor();
    // More games, and the page shows them by itself.
    execFileSync(BINARY, ["match", "random", "uct,budget=1", "--games", "6", "--playouts", "20", "--quiet", "--out", join(folder, "two")]);
    await frame.getByText("6 games so far").waitFor();
  });

  it("are found by their address, and a report may change", async () => {
    const page = await on.page();
    await page.goto(`${on.address}#/runs/old-tuning`);
    const frame = page.frameLocator("iframe");
    await frame.getByText("Iteration one").waitFor();
    writeFileSync(report, "<!doctype html><title>t</title><h1>Iteration two</h1>");
    await frame.getByText("Iteration two").waitFor();
    await page.getByRole("link", { name: "All runs" }).click();
    await page.getByRole("link", { name: "old-tuning" }).waitFor();
  });

  it("include trainings, whose curves grow", async () => {
    const train = join(folder, "taught");
    mkdirSync(train);
    writeFileSync(join(train, "training.toml"), "");
    writeFileSync(join(train, "games.jsonl"), "{}\n");
    const page = await on.page();
    await page.goto(`${on.address}#/runs/taught`);
    await page.getByText("There is no report yet").waitFor();
    expect(await serious(page)).toEqual([]);
    execFileSync(BINARY, [
      ...["train", "--size", "4x4x2", "--net", "tiny(layers=1,filters=4)+policy", "--generations", "1", "--runs", "4"],
      ...["--simulations", "4", "--first-simulations", "4", "--buffer", "50", "--batch", "8", "--epochs", "1", "--validation", "4"],
      ...["--teacher", "none", "--no-progress", "--out", join(folder, "learnt")],
    ]);
    await page.goto(`${on.address}#/runs`);
    const row = page.locator("tr", { hasText: "learnt" });
    await row.waitFor();
    expect(await row.innerText()).toContain("training");
    await page.getByRole("link", { name: "learnt" }).click();
    const frame = page.frameLocator("iframe");
    await frame.getByText("1 of 1 generations").waitFor();
    await frame.locator("svg").first().waitFor();
  });

  it("fit a phone", async () => {
    const page = await on.page({ viewport: { width: 320, height: 640 } });
    for (const path of ["#/runs", "#/runs/old-tuning"]) {
      await page.goto(`${on.address}${path}`);
      await page.getByRole("link", { name: /old-tuning|All runs/ }).first().waitFor();
      const spill = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(spill).toBeLessThanOrEqual(0);
    }
  });
});
