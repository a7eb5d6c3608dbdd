import { describe, expect, it } from "vitest";
import { score, serious, stage } from "./harness";

const on = stage();
const SMALL = "#/play?board=1122/1122/3344/3344";

describe("playing", () => {
  it("answers a click at once, and is undone and redone without limit", async () => {
    const page = await on.page();
    await page.goto(on.address + SMALL);
    const cell = page.locator('[data-cell="a1"]');
    await cell.hover();
    expect(await page.locator(".looked").innerText()).toMatch(/4 blocks, yellow:\s*\+4/);
    await cell.click();
    expect(await score(page)).toBe(4);
    await page.locator('[data-cell="a1"]').click();
    expect(await score(page)).toBe(8);
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await score(page)).toBe(4);
    await page.keyboard.press("u");
    expect(await score(page)).toBe(0);
    await page.keyboard.press("r");
    await page.keyboard.press("Control+Shift+Z");
    expect(await score(page)).toBe(8);
    await page.getByRole("button", { name: "Restart" }).click();
    expect(await score(page)).toBe(0);
    expect(await page.getByRole("button", { name: "Redo" }).isEnabled()).toBe(true);
  });

  // What holds up a busy machine in one game does not in each of three.
  it("answers every move of a game in less than a tenth of a second", { retry: 2 }, async () => {
    const page = await on.page();
    await page.goto(on.address);
    await page.locator('[data-cell="a1"]').waitFor();
    const [answers, times] = await page.evaluate(async () => {
      const [answers, times]: [number[], number[]] = [[], []];
      for (;;) {
        const cell = document.querySelector<HTMLElement>(".cell.playable");
        if (!cell) break;
        const before = performance.now();
        cell.click();
        await Promise.resolve();
        answers.push(performance.now() - before);
        await new Promise(requestAnimationFrame);
        times.push(performance.now() - before);
      }
      return [answers, times].map((times) => times.sort((a, b) => a - b)) as [number[], number[]];
    });
    const slowest = (times: number[]) => times.at(-1)!.toFixed(1);
    console.log(`${times.length} moves, answered in ${slowest(answers)} ms and shown after ${slowest(times)} ms at most`);
    expect(times.length).toBeGreaterThan(20);
    expect(answers.at(-1)).toBeLessThan(100);
    // A busy machine may hold up a frame or two.
    expect(times[Math.floor(times.length * 0.95)]).toBeLessThan(100);
  });

  it("lets blocks fall at sixty frames a second", async () => {
    const page = await on.page();
    await page.goto(on.address);
    await page.locator('[data-cell="a1"]').waitFor();
    const gaps = await page.evaluate(async () => {
      const gaps: number[] = [];
      let last = await new Promise<number>(requestAnimationFrame);
      // A move each 20 frames, so that something falls all the time.
      for (let frame = 0; frame < 300; frame++) {
        if (frame % 20 === 0) document.querySelector<HTMLElement>(".cell.playable")?.click();
        const at = await new Promise<number>(requestAnimationFrame);
        gaps.push(at - last);
        last = at;
      }
      return gaps.sort((a, b) => a - b);
    });
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const [middle, late] = [gaps[150]!, gaps.filter((gap) => gap > 25).length];
    console.log(`${(1000 / mean).toFixed(1)} frames a second, ${late} of ${gaps.length} late, ${gaps.at(-1)!.toFixed(1)} ms at most`);
    expect(middle).toBeLessThan(17.5);
    // A busy machine may hold up a few.
    expect(late).toBeLessThan(gaps.length / 10);
  });

  it("is played to its end by the keyboard alone", async () => {
    const page = await on.page({ reducedMotion: "reduce" });
    await page.goto(on.address + SMALL);
    await page.locator('[data-cell="a1"]').waitFor();
    for (let tabs = 0; tabs < 12; tabs++) {
      await page.keyboard.press("Tab");
      if ((await page.evaluate(() => document.activeElement?.getAttribute("role"))) === "gridcell") break;
    }
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(
      "b2, yellow triangle, group of 4, 4 points",
    );
    await page.keyboard.press("Space");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-selected"))).toBe("true");
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-selected"))).toBe("false");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    for (let n = 0; n < 4; n++) {
      await page.keyboard.press("Enter");
      await page.keyboard.press("Space");
    }
    await page.getByRole("heading", { name: "Cleared!" }).waitFor();
    expect(await score(page)).toBe(1016);
    expect(await page.getByRole("status").first().innerText()).toContain("Board cleared: 1,016 points.");
    await page.keyboard.press("u");
    expect(await score(page)).toBe(12);
    await page.keyboard.press("?");
    const help = page.getByRole("heading", { name: "How to play" });
    await help.waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });
    await page.keyboard.press("n");
    await page.getByRole("heading", { name: "New game" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await score(page)).toBe(12);
  });

  it("takes a key before it is told that a dialog is closed", async () => {
    const page = await on.page({ reducedMotion: "reduce" });
    await page.goto(on.address + SMALL);
    await page.locator('[data-cell="a1"]').waitFor();
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "How to play" }).waitFor();
    await page.evaluate(() => {
      document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true }));
    });
    await page.getByRole("heading", { name: "New game" }).waitFor();
    expect(await page.locator("dialog[open]").count()).toBe(1);
  });

  it("takes two taps of a finger", async () => {
    const page = await on.page({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    await page.goto(on.address + SMALL);
    const cell = page.locator('[data-cell="a1"]');
    await cell.tap();
    expect(await score(page)).toBe(0);
    expect(await page.locator(".looked").innerText()).toMatch(/4 blocks/);
    await cell.tap();
    expect(await score(page)).toBe(4);
  });

  it("survives a reload, and a link carries the game to a friend", async () => {
    const page = await on.page({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(on.address);
    await page.locator('[data-cell="a1"]').waitFor();
    for (let n = 0; n < 5; n++) await page.locator(".cell.playable").first().click();
    await page.keyboard.press("u");
    const reached = await score(page);
    await page.reload();
    expect(await score(page)).toBe(reached);
    await page.keyboard.press("r");
    const whole = await score(page);
    await page.getByRole("button", { name: "Copy link" }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toContain("#/play?board=std:1&moves=");
    const friend = await on.page();
    await friend.goto(link);
    expect(await score(friend)).toBe(whole);
    expect(await friend.locator(".cell.playable").count()).toBe(await page.locator(".cell.playable").count());
  });

  it("takes boards of every kind, and says what is wrong with one", async () => {
    const page = await on.page();
    await page.goto(on.address);
    await page.getByRole("button", { name: "New game" }).click();
    await page.getByLabel("Random any size and seed").check();
    await page.getByRole("spinbutton", { name: "Columns" }).fill("6");
    await page.getByRole("spinbutton", { name: "Rows" }).fill("3");
    await page.getByRole("spinbutton", { name: "Seed" }).fill("7");
    await page.getByRole("spinbutton", { name: "Colours" }).fill("4");
    await page.getByLabel("Rules").selectOption("clickomania");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByRole("heading", { name: "random:7:6x3x4" }).waitFor();
    expect(await page.locator(".cell").count()).toBe(18);
    await page.getByRole("button", { name: "New game" }).click();
    await page.getByLabel("Your own paste or type rows").check();
    await page.getByLabel("Rows from the top").fill("12\n1");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByText("line 2, column 2: this row has 1 cells, the first has 2").waitFor();
    await page.getByLabel("Rows from the top").fill("a b\na b");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByRole("heading", { name: "12/12" }).waitFor();
    expect(await page.locator(".cell").count()).toBe(4);
  });

  it("is played by typing", async () => {
    const page = await on.page();
    await page.goto(on.address + SMALL);
    await page.getByText("Play by text").click();
    await page.getByLabel("Move", { exact: true }).fill("a1 b1");
    await page.keyboard.press("Enter");
    expect(await score(page)).toBe(8);
    await page.getByLabel("Move", { exact: true }).fill("z9");
    await page.keyboard.press("Enter");
    await page.getByText("There is no group at z9.").waitFor();
  });
});

describe("hints", () => {
  it("come in three steps", async () => {
    const page = await on.page();
    await page.goto(on.address);
    await page.locator('[data-cell="a1"]').waitFor();
    await page.keyboard.press("h");
    await page.getByText("Look", { exact: true }).waitFor({ timeout: 15_000 });
    expect(await page.locator(".region").count()).toBe(1);
    expect(await page.locator(".pointed").count()).toBe(0);
    await page.getByRole("button", { name: "Show the move" }).click();
    expect(await page.locator(".pointed").count()).toBeGreaterThan(1);
    await page.keyboard.press("h");
    await page.getByText("games tried from here").waitFor();
    await page.getByText("1 hint").waitFor();
    await page.locator(".cell.playable").first().click();
    expect(await page.locator(".pointed").count()).toBe(0);
  });

  it("finish the game, which can be undone", async () => {
    const page = await on.page({ reducedMotion: "reduce" });
    await page.goto(`${on.address}#/play?board=random:5:8x8x4`);
    await page.locator('[data-cell="a1"]').waitFor();
    await page.locator(".cell.playable").first().click();
    await page.getByRole("button", { name: "Finish it for me" }).click();
    const now = page.getByRole("button", { name: "Play it now" });
    await now.click();
    await page.getByRole("button", { name: "Try again" }).waitFor({ timeout: 20_000 });
    const end = await score(page);
    await page.keyboard.press("u");
    await page.getByRole("button", { name: "Finish it for me" }).waitFor();
    await page.keyboard.press("r");
    expect(await score(page)).toBe(end);
  });
});

describe("everybody can use it", () => {
  it.each(["light", "dark"] as const)("axe-core finds nothing serious, %s", async (colorScheme) => {
    const page = await on.page({ colorScheme, reducedMotion: "reduce" });
    await page.goto(on.address);
    await page.locator('[data-cell="a1"]').waitFor();
    expect(await serious(page)).toEqual([]);
    await page.keyboard.press("n");
    await page.getByRole("heading", { name: "New game" }).waitFor();
    expect(await serious(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    expect(await serious(page)).toEqual([]);
  });

  it("fits a phone", async () => {
    const page = await on.page({ viewport: { width: 320, height: 640 } });
    await page.goto(on.address);
    await page.locator('[data-cell="a1"]').waitFor();
    const spill = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(spill).toBeLessThanOrEqual(0);
  });

  it("is painted in less than a second", async () => {
    const page = await on.page();
    await page.goto(on.address);
    await page.locator('[data-cell="a1"]').waitFor();
    const first = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
    expect(first).toBeLessThan(1000);
  });
});
