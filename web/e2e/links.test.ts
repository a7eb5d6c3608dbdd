import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { serious, stage } from "./harness";

const on = stage();
const columns = (page: Page) => page.getByRole("toolbar").getByRole("button");
const pieces = (page: Page) => page.locator(".board .piece:not(.ghost)").count();

async function open(page: Page, agent: string): Promise<void> {
  await page.goto(`${on.address}#/links`);
  await page.getByLabel("Agent").selectOption(agent);
  await page.getByLabel("Thinks for").selectOption("p100");
}

/** The player's turn, or the end. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const text = document.querySelector(".turn")?.textContent ?? "";
    return text.includes("Your move") || text.includes("by a line") || text.includes("drawn");
  });
}

describe("a game for two", () => {
  it("is played to its end by the keyboard alone", async () => {
    const page = await on.page({ reducedMotion: "reduce" });
    await open(page, "random");
    await settled(page);
    await columns(page).nth(3).focus();
    for (let n = 0; n < 60; n++) {
      const text = await page.locator(".turn").innerText();
      if (!text.includes("Your move")) break;
      const before = await pieces(page);
      await page.keyboard.press("Enter");
      await settled(page);
      // The column is full: the next one.
      if ((await pieces(page)) === before) await page.keyboard.press(n % 2 ? "ArrowRight" : "ArrowLeft");
    }
    expect(await page.locator(".turn").innerText()).toMatch(/wins?, by a line|drawn/);
    await page.keyboard.press("u");
    await settled(page);
    expect(await page.locator(".turn").innerText()).toContain("Your move");
  });

  it("gives hints with visits and an evaluation, and survives a reload", async () => {
    const page = await on.page();
    await open(page, "champion");
    await columns(page).nth(3).click();
    await settled(page);
    expect(await pieces(page)).toBe(2);
    await page.reload();
    await settled(page);
    expect(await pieces(page)).toBe(2);
    await page.keyboard.press("h");
    await page.getByRole("heading", { name: "Hint" }).waitFor({ timeout: 20_000 });
    expect(await page.locator(".hinted").count()).toBe(1);
    expect(await page.locator("tbody tr").count()).toBeGreaterThan(2);
    const share = Number(await page.getByRole("meter").getAttribute("aria-valuenow"));
    expect(share).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Take back" }).click();
    await settled(page);
    expect(await pieces(page)).toBe(0);
  });

  it("lets the agent begin", async () => {
    const page = await on.page();
    await open(page, "uct:combined");
    await page.getByLabel("You are").selectOption("red");
    await settled(page);
    expect(await pieces(page)).toBe(1);
    await page.keyboard.press("n");
    await settled(page);
    expect(await pieces(page)).toBe(1);
  });

  it.each(["light", "dark"] as const)("axe-core finds nothing serious, %s", async (colorScheme) => {
    const page = await on.page({ colorScheme, reducedMotion: "reduce" });
    await open(page, "champion");
    await columns(page).nth(2).click();
    await settled(page);
    expect(await serious(page)).toEqual([]);
  });

  it("fits a phone", async () => {
    const page = await on.page({ viewport: { width: 320, height: 640 } });
    await open(page, "champion");
    const spill = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(spill).toBeLessThanOrEqual(0);
  });
});
