// Figures in a row: [{name, value, tone, title}].
import { html } from "./ui.js";

export const Tiles = ({ tiles }) => html`<dl class="tiles">${tiles.map((one) => html`<div key=${one.name} title=${one.title}>
  <dt>${one.name}</dt><dd class=${one.tone ?? ""}>${one.value}</dd></div>`)}</dl>`;

// Name and value, one below the other.
export const Facts = ({ facts }) => html`<dl class="facts">${facts.filter(Boolean).map(([name, value]) =>
  html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
