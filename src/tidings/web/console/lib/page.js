// The frame of every page: its title, what can be done with all of it, and its content.
import { html } from "./ui.js";

export const Page = ({ title, about, actions, children }) => html`<article class="page">
  <header class="page-head">
    <div><h1 tabindex="-1">${title}</h1>${about && html`<p class="soft">${about}</p>`}</div>
    ${actions && html`<div class="actions">${actions}</div>`}
  </header>
  ${children}
</article>`;

// A part of a page with a heading; `actions` stand at its right.
export const Section = ({ title, about, actions, children, id }) => html`<section class="part" id=${id} aria-label=${title}>
  <header><h2>${title}</h2>${about && html`<p class="soft">${about}</p>`}${actions && html`<div class="actions">${actions}</div>`}</header>
  ${children}
</section>`;
