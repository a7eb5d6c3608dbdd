/**
 * Whether a pressed key is meant for the page: not while something is typed, nor while a dialog is
 * on top. The document is asked about dialogs, not what the page remembers of them: a dialog that
 * the browser closed is told of later, and a key pressed in between would be lost.
 */
export function forThePage(event: KeyboardEvent): boolean {
  const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
  return !typing && document.querySelector("dialog[open]") === null;
}
