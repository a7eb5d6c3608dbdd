// A game as a link: the board, the rules and the moves are all in the address, so a
// friend needs nothing but the page.

/** What a link carries. */
export interface Shared {
  readonly board: string;
  readonly rules: string;
  readonly moves: readonly string[];
}

/** The part of the address behind `#`. */
export function writeLink(shared: Shared): string {
  const query = new URLSearchParams({ board: shared.board });
  if (shared.rules !== "samegame") query.set("rules", shared.rules);
  if (shared.moves.length > 0) query.set("moves", shared.moves.join("."));
  // Colons, slashes and semicolons may stand as they are: links stay readable.
  const text = query.toString().replaceAll("%3A", ":").replaceAll("%2F", "/").replaceAll("%3B", ";");
  return `#/play?${text}`;
}

/** What the part behind `#` carries, if it is such a link. */
export function readLink(hash: string): Shared | undefined {
  const match = /^#\/play\?(.*)$/.exec(hash);
  if (!match) return undefined;
  const query = new URLSearchParams(match[1]);
  const board = query.get("board");
  if (!board) return undefined;
  const moves = (query.get("moves") ?? "").split(".").filter((name) => name !== "");
  return { board, rules: query.get("rules") ?? "samegame", moves };
}
