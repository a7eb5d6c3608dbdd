// What the server is asked by plain requests.

import type { AgentInfo, AlgorithmInfo, BoardView, Boards, Refusal, ThinkAsk, Thought } from "./protocol";

/** Something the player can be told. */
export class Trouble extends Error {}

async function get<T>(path: string, init?: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new Trouble("The server cannot be reached. Is `solitree serve` still running?");
  }
  if (response.ok) return (await response.json()) as T;
  const text = await response.text();
  let message = text.trim();
  try {
    message = (JSON.parse(text) as Refusal).message;
  } catch {
    // Not every refusal is an object; then its text has to do.
  }
  throw new Trouble(message || `The server answers ${response.status}.`);
}

/** The board of a name or of rows, with the rules as tables. */
export function fetchBoard(board: string, rules: string): Promise<BoardView> {
  return get(`api/board?${new URLSearchParams({ board, rules })}`);
}

let boards: Promise<Boards> | undefined;
/** Every board with a name, and the rules. */
export function fetchBoards(): Promise<Boards> {
  return (boards ??= remembered(get<Boards>("api/boards"), () => (boards = undefined)));
}

let algorithms: Promise<AlgorithmInfo[]> | undefined;
/** Every algorithm with its parameters. */
export function fetchAlgorithms(): Promise<AlgorithmInfo[]> {
  return (algorithms ??= remembered(get<AlgorithmInfo[]>("api/algorithms"), () => (algorithms = undefined)));
}

let agents: Promise<AgentInfo[]> | undefined;
/** Everybody to play against. */
export function fetchAgents(): Promise<AgentInfo[]> {
  return (agents ??= remembered(get<AgentInfo[]>("api/agents"), () => (agents = undefined)));
}

/** What an agent thinks of a position of ColorShapeLinks. */
export function postThink(ask: ThinkAsk): Promise<Thought> {
  const headers = { "content-type": "application/json" };
  return get("api/think", { method: "POST", headers, body: JSON.stringify(ask) });
}

/** An answer that is kept, unless it fails. */
function remembered<T>(answer: Promise<T>, forget: () => void): Promise<T> {
  answer.catch(forget);
  return answer;
}
