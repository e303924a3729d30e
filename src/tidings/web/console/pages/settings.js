// Every setting of the service as it applies, and where it comes from.
import { plural } from "../lib/format.js";
import { useLive } from "../lib/live.js";
import { Page } from "../lib/page.js";
import { having } from "../lib/pages.js";
import { change } from "../lib/router.js";
import { Empty, Loaded } from "../lib/states.js";
import { Text } from "../lib/text.js";
import { html, useState } from "../lib/ui.js";

const EVERY = 30;

export default function Settings({ query }) {
  const settings = useLive("/v1/settings", { every: EVERY });
  const [search, setSearch] = useState(query.search ?? "");
  const differ = query.set === "yes";
  const actions = html`
    <label class="check"><input type="checkbox" checked=${differ} onChange=${(event) => change({ set: event.target.checked ? "yes" : "" })} /> Without defaults</label>
    <input type="search" placeholder="Search (/)" aria-label="Search settings by name, value, source, description" value=${search}
      onInput=${(event) => setSearch(event.target.value)} />`;
  const found = (all) => having(all, search, textOf).filter((one) => !differ || one.source !== "default");
  const about = settings.data && `${told(found(settings.data.settings).length, settings.data.settings.length)} as they apply: set in a file, the environment or the command line`;
  return html`<${Page} title="Settings" about=${about} actions=${actions}>
    <${Loaded} of=${settings} empty=${(data) => !data.settings.length && html`<${Empty} title="No settings">This service is part of a program, which sets it.<//>`}>
      ${(data) => html`<${Table} settings=${found(data.settings)} />`}<//>
  <//>`;
}

const told = (found, all) => (found === all ? plural(all, "setting") : `${found} of ${plural(all, "setting")}`);
const source = (one) => one.source.replaceAll("_", " ");
const textOf = (one) => [one.name, one.value, source(one), one.origin, one.text].join(" ");

function Table({ settings }) {
  if (!settings.length) return html`<${Empty} title="Nothing found">No setting is like that.<//>`;
  return html`<div class="scroll"><table class="lines stacked">
    <thead><tr><th>Setting</th><th>Value</th><th>From</th><th>What it is</th><th>Takes effect</th></tr></thead>
    <tbody>${settings.map((one) => html`<tr key=${one.name}>
      <td class="nowrap"><code>${one.name}</code></td>
      <td class=${one.source === "default" ? "soft" : "strong"}><${Text} text=${one.value} most=${500} /></td>
      <td class="middle">${source(one) === "default" ? html`<span class="soft">default</span>` : html`${source(one)} <span class="soft"><${Text} text=${one.origin} /></span>`}</td>
      <td class="wide"><${Text} text=${one.text} most=${600} /> <span class="soft"><${Text} text=${sentence(one.allowed)} /></span></td>
      <td class="soft nowrap">on ${one.live ? "reload" : "restart"}</td>
    </tr>`)}</tbody>
  </table></div>`;
}

const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
