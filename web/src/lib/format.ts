// Numbers for people.

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** A whole number with commas between thousands. */
export function whole(value: number): string {
  return WHOLE.format(Math.round(value)).replace("-", "−");
}

/** The same with its sign. */
export function signed(value: number): string {
  return value < 0 ? whole(value) : `+${whole(value)}`;
}

/** A large number in few characters. */
export function short(value: number): string {
  if (value < 10_000) return whole(value);
  if (value < 1e6) return `${(value / 1e3).toFixed(value < 1e5 ? 1 : 0)} k`;
  return `${(value / 1e6).toFixed(value < 1e7 ? 2 : 1)} M`;
}

/** A number and its noun. */
export function count(value: number, noun: string, plural = `${noun}s`): string {
  return `${whole(value)} ${value === 1 ? noun : plural}`;
}
