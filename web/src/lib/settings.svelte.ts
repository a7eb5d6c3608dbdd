// What the visitor prefers, kept over reloads.

import { keep, recall } from "./store";

export type Theme = "auto" | "light" | "dark";

interface Kept {
  readonly theme: Theme;
  readonly shortcuts: boolean;
}

class Settings {
  theme = $state<Theme>("auto");
  /** Whether letters are shortcuts. */
  shortcuts = $state(true);

  constructor() {
    const kept = recall<Kept>("settings");
    if (kept) {
      this.theme = kept.theme;
      this.shortcuts = kept.shortcuts;
    }
  }

  keep(): void {
    keep("settings", { theme: this.theme, shortcuts: this.shortcuts } satisfies Kept);
  }
}

export const settings = new Settings();

/** Whether the visitor wants things to stay still. */
export function calm(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
