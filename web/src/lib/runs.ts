// Runs of the laboratory: what the page says of them.

import { count } from "./format";
import type { RunInfo, RunView } from "./protocol";

/** How long after its last result a run is taken to be going on, in milliseconds. */
const RECENT = 60_000;

/** Whether results have come lately. */
export function isLive(run: RunInfo, now: number): boolean {
  return run.bytes > 0 && now - run.changed < RECENT;
}

/** Whether there is a report to show: tunings and trainings write their own, the others have
 * one made of their results at any time. */
export function hasReport(run: RunView): boolean {
  const writes = run.kind === "tuning" || run.kind === "training";
  return !writes || run.files.some((file) => file.name === "report.html");
}

/** How long ago something was, in words. */
export function ago(then: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (seconds < 60) return `${count(seconds, "second")} ago`;
  if (seconds < 3600) return `${count(Math.floor(seconds / 60), "minute")} ago`;
  if (seconds < 86_400) return `${count(Math.floor(seconds / 3600), "hour")} ago`;
  return `${count(Math.floor(seconds / 86_400), "day")} ago`;
}

/** A number of bytes in few characters. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(bytes < 1e4 ? 1 : 0)} kB`;
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}

/** The run that an address names, if it names one. */
export function namedRun(hash: string): string | undefined {
  const match = /^#\/runs\/([^/]+)$/.exec(hash);
  try {
    return match ? decodeURIComponent(match[1]!) : undefined;
  } catch {
    return undefined;
  }
}
