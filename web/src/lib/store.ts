// What outlives a reload. A browser that keeps nothing is no trouble.

/** What was kept under a name, if anything. */
export function recall<T>(name: string, storage: () => Storage = () => localStorage): T | undefined {
  try {
    const text = storage().getItem(`solitree.${name}`);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

/** Keeps something; nothing forgets it. */
export function keep(name: string, value: unknown, storage: () => Storage = () => localStorage): void {
  try {
    if (value === undefined) storage().removeItem(`solitree.${name}`);
    else storage().setItem(`solitree.${name}`, JSON.stringify(value));
  } catch {
    // Full or forbidden: the game goes on, it is only not kept.
  }
}
