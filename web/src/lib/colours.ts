// The nine colours by name. Their paint is in app.css and their symbols in
// Symbols.svelte, so that nobody has to tell them apart by hue.

const NAMES = ["empty", "red", "blue", "yellow", "green", "pink", "white", "violet", "brown", "lime"];
const SHAPES = ["", "circle", "square", "triangle", "star", "cross", "ring", "diamond", "bars", "drop"];

/** What a colour is called. */
export function colourName(colour: number): string {
  return NAMES[colour] ?? "unknown";
}

/** What its symbol is called. */
export function shapeName(colour: number): string {
  return SHAPES[colour] ?? "";
}
