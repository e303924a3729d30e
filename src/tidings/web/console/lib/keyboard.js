// Shortcuts: single keys or sequences ("g o"). They do nothing while somebody types, or while a
// dialog is open.
import { html, useEffect } from "./ui.js";

const PATIENCE = 1_200;
const shortcuts = new Map();
let typed = "", at = 0;

export function addShortcut(keys, what, act) {
  shortcuts.set(keys, { what, act });
  return () => shortcuts.delete(keys);
}

// For components: the shortcut is there as long as they are.
export function useShortcut(keys, what, act, again = []) {
  useEffect(() => addShortcut(keys, what, act), again);
}

export const allShortcuts = () => [...shortcuts].map(([keys, { what }]) => ({ keys, what }));

const isTyping = (element) =>
  element instanceof HTMLElement && (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  if (event.key.length !== 1) return;
  const now = performance.now();
  typed = now - at < PATIENCE && typed ? `${typed} ${event.key}` : event.key;
  at = now;
  const found = shortcuts.get(typed) ?? shortcuts.get(event.key);
  if (found) {
    event.preventDefault();
    typed = "";
    found.act();
  } else if (![...shortcuts.keys()].some((keys) => keys.startsWith(`${typed} `))) {
    typed = [...shortcuts.keys()].some((keys) => keys.startsWith(`${event.key} `)) ? event.key : "";
  }
});

export const Keys = ({ keys }) => html`<span class="keys">${keys.split(" ").map((one) => html`<kbd>${one}</kbd>`)}</span>`;
