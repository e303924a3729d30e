// A text from the service, whatever is in it. Nothing of the service is shown in another way.
import { visible } from "./format.js";
import { html } from "./ui.js";

export const Text = ({ text, most, title }) => html`<bdi class="text" title=${title}>${visible(text, most)}</bdi>`;

// The name of an object, or what stands for it.
export const Name = ({ name, kind, id }) =>
  name ? html`<${Text} text=${name} />` : html`<span class="soft">${kind} ${id}</span>`;

// The same for sentences and titles.
export const named = (kind, id, name) => (name ? `${kind} ${visible(name, 80)}` : `${kind} ${id}`);
