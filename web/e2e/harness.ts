// The program under test and a browser to test it with.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";

const BINARY = process.env["SOLITREE_BINARY"] ?? new URL("../../target/debug/solitree", import.meta.url).pathname;
const BROWSERS = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export interface Stage {
  /** The address of the page. */
  address: string;
  browser: Browser;
  /** A page of its own, whose errors fail the test. */
  page(options?: BrowserContextOptions): Promise<Page>;
}

/** Starts the program and a browser for a file of tests. */
export function stage(): Stage {
  const stage = {} as Stage;
  let server: ChildProcess;
  const errors: string[] = [];
  beforeAll(async () => {
    server = spawn(BINARY, ["serve", "--quiet"], { stdio: ["ignore", "pipe", "inherit"] });
    stage.address = await new Promise<string>((found, failed) => {
      server.once("error", failed);
      server.once("exit", (code) => failed(new Error(`solitree serve ended with ${code}`)));
      server.stdout!.once("data", (line: Buffer) => found(line.toString().trim()));
    });
    const executablePath = BROWSERS.find((path) => path && existsSync(path));
    if (!executablePath) throw new Error("no Chromium found: set CHROMIUM");
    stage.browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    stage.page = async (options) => {
      const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
      const page = await context.newPage();
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("console", (message) => {
        // The policy of the server and missing files count; what the server refuses
        // is asked on purpose.
        const asked = message.text().includes("status of 400");
        if (message.type() === "error" && !asked) errors.push(message.text());
      });
      page.on("request", (request) => {
        const { origin } = new URL(request.url());
        if (!stage.address.startsWith(origin) && origin !== "null") errors.push(`asks ${request.url()}`);
      });
      return page;
    };
  });
  afterAll(async () => {
    await stage.browser?.close();
    server?.kill();
    expect(errors).toEqual([]);
  });
  return stage;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  id: string;
  impact: string | null;
  nodes: { target: string[]; failureSummary?: string }[];
}

/** What axe-core finds serious or worse. */
export async function serious(page: Page): Promise<string[]> {
  // Past the policy of the page: the test brings the script, not the page.
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    return (await axe.run()).violations;
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary ?? ""}`));
}

/** The score that is shown. */
export async function score(page: Page): Promise<number> {
  const text = await page.getByTestId("score").innerText();
  return Number(text.replace("−", "-").replaceAll(",", ""));
}
