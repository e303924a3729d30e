// What a part of a page shows when there is nothing yet, nothing at all, or an error.
import { visible } from "./format.js";
import { html } from "./ui.js";

export const Loading = () => html`<p class="state" role="status">Loading…</p>`;

export const Empty = ({ title, children }) =>
  html`<div class="state"><p class="state-title">${title}</p>${children && html`<p>${children}</p>`}</div>`;

export const Failed = ({ error, retry }) => html`<div class="state failed" role="alert">
  <p class="state-title">${error.status === 403 ? "You may not see this" : "This could not be loaded"}</p>
  <p>${visible(error.message, 400)}</p>
  ${retry && html`<p><button onClick=${retry}>Try again</button></p>`}
</div>`;

// <${Loaded} of=${useLive(…)} empty=${(data) => …}>${(data) => html`…`}<//>
export function Loaded({ of, children, empty }) {
  if (of.error) return html`<${Failed} error=${of.error} retry=${of.refresh} />`;
  if (of.loading) return html`<${Loading} />`;
  return empty?.(of.data) || children(of.data);
}
