// The names of the services that something has passed, in order.
import { visible } from "./format.js";
import { html } from "./ui.js";

export const PathNames = ({ path }) => html`<span class="path-names">${path.map((one, at) =>
  html`${at > 0 && html`<span class="soft"> → </span>`}<bdi>${visible(one, 130)}</bdi>`)}</span>`;
