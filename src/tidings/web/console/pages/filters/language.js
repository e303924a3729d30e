// A short course in the language: examples that can be tried, and what there is.
import { replaceAll } from "../../lib/editor.js";
import { EXAMPLES, OPERATORS, STANDARD } from "../../lib/etcl.js";
import { Section } from "../../lib/page.js";
import { html } from "../../lib/ui.js";

export const Language = () => html`<${Section} title="The language" about="ETCL, of the OMG Notification Service. An event matches if the whole constraint is TRUE.">
  <div class="columns course">
    <div><h3>Examples to try</h3><ul class="examples">${EXAMPLES.map((one) => html`<li key=${one.text}>
      <button class="example" onClick=${() => replaceAll(one.text)}><code>${one.text}</code></button><small>${one.about}</small></li>`)}</ul></div>
    <div><h3>Operators</h3><dl class="facts">${OPERATORS.map(([sign, about]) => html`<div key=${sign}><dt><code>${sign}</code></dt><dd>${about}</dd></div>`)}</dl></div>
    <div><h3>Names</h3><p class="soft">A property of the header or data is its name behind $. A name that an event does not have is an error, and so is a value of the wrong kind: then the whole
      constraint does not match. Every event has:</p>
      <dl class="facts">${STANDARD.map((one) => html`<div key=${one.name}><dt><code>$${one.name}</code></dt><dd>${one.about}</dd></div>`)}</dl></div>
  </div>
<//>`;
