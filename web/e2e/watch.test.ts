import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { serious, stage } from "./harness";

const on = stage();

async function open(page: Page, seconds: number): Promise<void> {
  await page.goto(`${on.address}#/watch`);
  await page.getByLabel("Budget, each").fill(String(seconds));
}

const lane = (page: Page, name: "a" | "b") => page.locator(`[data-lane="${name}"]`);

async function best(page: Page, name: "a" | "b"): Promise<number> {
  return Number((await lane(page, name).getByTestId("best").innerText()).replaceAll(",", ""));
}

describe("watching", () => {
  it("lets two searches race on one board", async () => {
    const page = await on.page({ reducedMotion: "reduce" });
    await open(page, 3);
    await page.getByLabel("Algorithm").nth(1).selectOption("nrpa");
    await page.getByRole("button", { name: "Start the race" }).click();
    for (const name of ["a", "b"] as const) {
      await lane(page, name).getByText("time is up").waitFor({ timeout: 30_000 });
      expect(await best(page, name)).toBeGreaterThan(500);
    }
    expect(await page.locator("path.curve").count()).toBe(2);
    expect(await lane(page, "a").locator(".number").count()).toBe(225);
    // The slider replays the best line.
    const slider = lane(page, "a").getByLabel("Move of the best line");
    await slider.focus();
    await page.keyboard.press("End");
    const left = await lane(page, "a").locator(".block").count();
    expect(left).toBeLessThan(60);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await lane(page, "a").getByText("After move 1").waitFor();
    // What if: from that position on.
    await lane(page, "a").getByRole("button", { name: "Search on from here" }).click();
    await lane(page, "a").getByText("Searching").waitFor();
    await page.getByRole("button", { name: "Stop both" }).click();
    await lane(page, "a").getByText("stopped").waitFor();
  });

  it("is paused, resumed and stopped, by the keyboard alone", async () => {
    const page = await on.page();
    await open(page, 60);
    await page.getByLabel("Side by side").focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Start" }).focus();
    await page.keyboard.press("Enter");
    await lane(page, "a").getByText("Searching").waitFor();
    const pause = lane(page, "a").getByRole("button", { name: "Pause", exact: true });
    await pause.focus();
    await page.keyboard.press("Enter");
    await lane(page, "a").getByText("Paused").waitFor();
    const time = lane(page, "a").locator("dd").last();
    const stood = await time.innerText();
    await page.waitForTimeout(600);
    expect(await time.innerText()).toBe(stood);
    await lane(page, "a").getByRole("button", { name: "Resume" }).focus();
    await page.keyboard.press("Enter");
    await lane(page, "a").getByText("Searching").waitFor();
    await lane(page, "a").getByRole("button", { name: "Stop" }).focus();
    await page.keyboard.press("Enter");
    await lane(page, "a").getByText("stopped").waitFor();
  });

  it("goes on after a reload in mid-search", async () => {
    const page = await on.page();
    await open(page, 8);
    await page.getByRole("button", { name: "Start the race" }).click();
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="best"]')[1]?.textContent !== "–");
    await page.waitForTimeout(700);
    const before = [await best(page, "a"), await best(page, "b")];
    await page.reload();
    await lane(page, "a").getByText("Searching").waitFor();
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="best"]')[1]?.textContent !== "–");
    expect(await best(page, "a")).toBeGreaterThanOrEqual(before[0]!);
    expect(await best(page, "b")).toBeGreaterThanOrEqual(before[1]!);
    await lane(page, "a").getByText("time is up").waitFor({ timeout: 20_000 });
  });

  it("takes parameters from the table, and says what is wrong", async () => {
    const page = await on.page();
    await open(page, 1);
    await page.getByLabel("Side by side").uncheck();
    await page.getByText("Parameters").click();
    const c = page.getByLabel("c", { exact: true });
    await c.fill("0.7");
    await c.blur();
    await page.getByText("Parameters (1 changed)").waitFor();
    await page.getByLabel("Board", { exact: true }).fill("std:99");
    await page.getByRole("button", { name: "Take" }).click();
    await page.getByText("'99' is not a board of std").waitFor();
    await page.getByLabel("Board", { exact: true }).fill("random:4:6x6x3");
    await page.getByRole("button", { name: "Take" }).click();
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await lane(page, "a").getByText(/time is up|finished|solved/).waitFor();
  });

  it("shows what is inside each search", async () => {
    const page = await on.page({ reducedMotion: "reduce" });
    await open(page, 2);
    await page.getByLabel("Algorithm").nth(1).selectOption("nrpa");
    await page.getByRole("button", { name: "Start the race" }).click();
    for (const name of ["a", "b"] as const) await lane(page, name).getByText("time is up").waitFor({ timeout: 30_000 });
    // A tree: depths, moves, and heat over the groups, chosen by the keyboard alone.
    await lane(page, "a").getByRole("img", { name: /^Positions by depth: .* positions; most/ }).waitFor();
    const visits = lane(page, "a").getByRole("radio", { name: "Visits" });
    await lane(page, "a").getByRole("radio", { name: "Best line" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await visits.isChecked()).toBe(true);
    const hot = lane(page, "a").locator(".heated .number");
    expect(await hot.count()).toBeGreaterThan(10);
    const before = await hot.first().innerText();
    await page.keyboard.press("ArrowRight");
    await lane(page, "a").getByText("mean score after each move").waitFor();
    expect(await hot.first().innerText()).not.toBe(before);
    const tried = lane(page, "a").getByText(/^Moves tried: [0-9]+$/);
    await tried.focus();
    await page.keyboard.press("Enter");
    await lane(page, "a").getByRole("columnheader", { name: "Visits" }).waitFor();
    // The policy of NRPA.
    await lane(page, "b").getByText("Level 1").waitFor();
    await lane(page, "b").getByRole("img", { name: /^Probability of each move of the best line: [0-9]+ moves/ }).waitFor();
    expect(await serious(page)).toEqual([]);
    // The slider goes back to the best line.
    await lane(page, "a").getByLabel("Move of the best line").focus();
    await page.keyboard.press("End");
    expect(await hot.count()).toBe(0);
    // The layers of a beam.
    await page.getByLabel("Algorithm").nth(1).selectOption("mc-beam");
    await page.getByRole("button", { name: "Start the race" }).click();
    await lane(page, "b").getByRole("img", { name: /^Positions kept of each layer: [0-9]+ layers/ }).waitFor();
  });

  it("shows what is done below each first move, where there is no tree", async () => {
    const page = await on.page({ reducedMotion: "reduce" });
    await open(page, 1);
    for (const [pair, of] of [
      [["dbs", "nmcs"], "Playouts by the depth where they begin"],
      [["ida-star", "a-star"], "Positions by depth"],
    ] as const) {
      await page.getByLabel("Algorithm").nth(0).selectOption(pair[0]);
      await page.getByLabel("Algorithm").nth(1).selectOption(pair[1]);
      await page.getByRole("button", { name: "Start the race" }).click();
      for (const name of ["a", "b"] as const) {
        await lane(page, name).getByText(/time is up|finished/).waitFor({ timeout: 30_000 });
        await lane(page, name).getByRole("img", { name: new RegExp(`^${of}: [0-9,]+ p`) }).waitFor();
        await lane(page, name).getByRole("radio", { name: "Visits" }).check();
        expect(await lane(page, name).locator(".heated .number").count()).toBeGreaterThan(0);
      }
    }
    expect(await serious(page)).toEqual([]);
  });

  it("stays smooth while two searches stream", async () => {
    const page = await on.page();
    await open(page, 12);
    await page.getByRole("button", { name: "Start the race" }).click();
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="best"]')[0]?.textContent !== "–");
    const gaps = await page.evaluate(async () => {
      const gaps: number[] = [];
      const begin = await new Promise<number>(requestAnimationFrame);
      for (let last = begin; last - begin < 10_000; ) {
        const at = await new Promise<number>(requestAnimationFrame);
        gaps.push(at - last);
        last = at;
      }
      return gaps;
    });
    // They did stream all the time.
    for (const name of ["a", "b"] as const) await lane(page, name).getByText("Searching").waitFor();
    const rate = (1000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0);
    const late = (ms: number) => gaps.filter((gap) => gap > ms).length;
    console.log(`${rate.toFixed(1)} frames a second; of ${gaps.length} ${late(20)} took longer than 20 ms and ${late(34)} longer than 34`);
    // Of 60. A busy machine may hold up some.
    expect(rate).toBeGreaterThan(50);
  });

  it.each(["light", "dark"] as const)("axe-core finds nothing serious, %s", async (colorScheme) => {
    const page = await on.page({ colorScheme, reducedMotion: "reduce" });
    await open(page, 1);
    await page.getByRole("button", { name: "Start the race" }).click();
    await lane(page, "a").getByText("time is up").waitFor({ timeout: 30_000 });
    for (const summary of await page.getByText("Parameters").all()) await summary.click();
    expect(await serious(page)).toEqual([]);
  });

  it("fits a phone", async () => {
    const page = await on.page({ viewport: { width: 320, height: 640 } });
    await open(page, 1);
    const spill = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(spill).toBeLessThanOrEqual(0);
  });
});
