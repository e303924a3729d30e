// Short results of actions; they go by themselves, errors stay until they are closed.
import { cell, useCell } from "./cell.js";
import { html } from "./ui.js";

const SECONDS = 5;
const MOST = 4;

const shown = cell([]);
let last = 0;

export function toast(text, { bad = false } = {}) {
  const one = { id: ++last, text, bad };
  shown.set([...shown.value, one].slice(-MOST));
  if (!bad) setTimeout(() => close(one.id), SECONDS * 1000);
}

const close = (id) => shown.set(shown.value.filter((one) => one.id !== id));

export const Toasts = () => html`<div class="toasts" role="status" aria-live="polite">
  ${useCell(shown).map((one) => html`<p key=${one.id} class=${one.bad ? "toast bad" : "toast"}>
    <span>${one.text}</span>
    <button class="plain" aria-label="Close this message" onClick=${() => close(one.id)}>✕</button>
  </p>`)}
</div>`;
