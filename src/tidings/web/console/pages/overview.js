// The whole service at a glance.
import { act } from "../lib/actions.js";
import { Page } from "../lib/page.js";
import { html } from "../lib/ui.js";

export default function Overview() {
  return html`<${Page} title="Overview" actions=${html`<button onClick=${() => act("create_channel")}>Create a channel</button>`}><//>`;
}
