// Which event types are offered and wanted in a channel, by whom, and what nobody offers or wants.
import { useLive } from "../lib/live.js";
import { ChannelLink, Choice, ProxyLink, useNames } from "../lib/names.js";
import { Page } from "../lib/page.js";
import { having, useMore } from "../lib/pages.js";
import { address, change } from "../lib/router.js";
import { Empty, Loaded } from "../lib/states.js";
import { Text } from "../lib/text.js";
import { html, useMemo, useState } from "../lib/ui.js";
import { rowsOf } from "./types/rows.js";

const EVERY = 10;
const WHO = 5;

export default function Types({ query }) {
  const names = useNames();
  const channel = Number(query.channel) || names.channels[0]?.id;
  const [search, setSearch] = useState("");
  const alone = query.alone === "yes";
  const actions = channel && html`
    <label class="check"><input type="checkbox" checked=${alone} onChange=${(event) => change({ alone: event.target.checked ? "yes" : "" })} /> One-sided only</label>
    <${Choice} label="Channel" kind="channel" among=${names.channels} value=${channel} onChoose=${(id) => change({ channel: id })} />
    <input type="search" placeholder="Search (/)" aria-label="Search event types" value=${search} onInput=${(event) => setSearch(event.target.value)} />`;
  return html`<${Page} title="Event types" about="What suppliers offer and consumers want" actions=${actions}>
    ${channel ? html`<${Channel} key=${channel} channel=${channel} names=${names} search=${search} alone=${alone} />`
      : names.known && html`<${Empty} title="No channels yet">Suppliers and consumers name their event types in a channel.<//>`}
  <//>`;
}

function Channel({ channel, names, search, alone }) {
  const found = useLive(`/v1/channels/${channel}/types`, { every: EVERY });
  const rows = useMemo(() => (found.data ? rowsOf(found.data) : []), [found.data]);
  const shown = having(rows, search, (one) => one.text).filter((one) => !alone || one.state !== "both");
  return html`<${Loaded} of=${found} empty=${() => !rows.length && html`<${Empty} title="Nothing offered or wanted">
      No supplier or consumer of <${ChannelLink} id=${channel} name=${names.channel(channel)} /> has named an event type.<//>`}>
    ${() => html`<${Table} rows=${shown} channel=${channel} names=${names} />`}<//>`;
}

const STATES = {
  both: ["", "offered and wanted"],
  unwanted: ["soft", "offered, not wanted"],
  unoffered: ["warn", "wanted, not offered"],
};

function Table({ rows, channel, names }) {
  const [shown, more] = useMore(rows);
  if (!rows.length) return html`<${Empty} title="Nothing found">No event type is like that.<//>`;
  return html`<div class="scroll"><table class="lines">
    <thead><tr><th>Event type</th><th>State</th><th>Offered by</th><th>Wanted by</th></tr></thead>
    <tbody>${shown.map((one) => html`<tr key=${one.text}>
      <td class="middle"><code><${Text} text=${one.text} /></code></td>
      <td class=${`nowrap ${STATES[one.state][0]}`}>${STATES[one.state][1]}</td>
      <td class="middle"><${Who} who=${one.offers} channel=${channel} names=${names} side="supplier" /></td>
      <td class="middle"><${Who} who=${one.wants} channel=${channel} names=${names} side="consumer" /></td>
    </tr>`)}</tbody>
  </table></div>${more}`;
}

function Who({ who, channel, names, side }) {
  const [all, setAll] = useState(false);
  if (!who.length) return html`<span class="soft">nobody</span>`;
  const shown = all ? who : who.slice(0, WHO);
  return html`<span class="who-list">${shown.map(({ kind, id }) => (kind === "proxy"
    ? html`<${ProxyLink} key=${id} channel=${channel} id=${id} name=${names.proxy(channel, id)} />`
    : html`<a key=${`admin ${id}`} href=${address("objects", { at: `admin-${channel}-${side}-${id}` })}>admin ${id}</a>`))}
    ${shown.length < who.length && html`<button class="link" onClick=${() => setAll(true)}>and ${who.length - shown.length} more</button>`}</span>`;
}
