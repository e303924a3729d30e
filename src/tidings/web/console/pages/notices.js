// What the service has told of itself, and who has changed what.
import { useCell } from "../lib/cell.js";
import { ago, count, time } from "../lib/format.js";
import { useLive } from "../lib/live.js";
import { ChannelLink, ProxyLink } from "../lib/names.js";
import { Page, Section } from "../lib/page.js";
import { having, useMore } from "../lib/pages.js";
import { change } from "../lib/router.js";
import { ask, revived } from "../lib/service.js";
import { Empty, Loaded } from "../lib/states.js";
import { Text } from "../lib/text.js";
import { html, useMemo, useState } from "../lib/ui.js";

const EVERY = 5;
const STEP = 100;
const MOST = 1_000;
const KEPT = 2_000; // changes and refusals that the service keeps

export default ({ query }) => html`<${Page} title="Notices">
  <${Notices} key=${query.kind} kind=${query.kind ?? ""} />
  <${Changes} />
<//>`;

function Notices({ kind }) {
  const [most, setMost] = useState(STEP);
  const notices = useLive(`/v1/notices?${new URLSearchParams({ most, ...(kind && { kind }) })}`, { every: EVERY });
  const choice = html`<${Kinds} kinds=${notices.data?.kinds ?? {}} kind=${kind} />`;
  return html`<${Section} title="Notices of the service" about="the latest first; a restart forgets them" actions=${choice}><${Loaded} of=${notices}
    empty=${(data) => !data.notices.length && html`<${Empty} title="No notices">The service tells of slow consumers, losses and the disk here.<//>`}>
    ${(data) => html`<div class="scroll"><table class="lines stacked">
      <thead><tr><th>Time</th><th>Kind</th><th>Channel</th><th>Proxy</th><th>What</th></tr></thead>
      <tbody>${[...data.notices].reverse().map((one) => html`<tr>
        <td class="nowrap" title=${`${ago(one.time)} ago`}>${time(one.time)}</td>
        <td class=${one.kind === "caught up" ? "nowrap good" : "nowrap warn"}>${one.kind}</td>
        <td class="name">${one.channel > 0 && html`<${ChannelLink} id=${one.channel} name=${one.channel_name} />`}</td>
        <td class="name">${one.proxy > 0 && html`<${ProxyLink} channel=${one.channel} id=${one.proxy} name=${one.proxy_name} />`}</td>
        <td class="wide"><${Text} text=${one.detail} most=${500} /></td>
      </tr>`)}</tbody>
    </table></div>
    ${data.notices.length === most && most < MOST && html`<p class="pager"><button class="small" onClick=${() => setMost(most + STEP)}>Show more</button></p>`}`}
  <//><//>`;
}

function Kinds({ kinds, kind }) {
  const words = [...new Set([...Object.keys(kinds), kind])].filter(Boolean).sort();
  return html`<select aria-label="Kind of notice" value=${kind} onChange=${(event) => change({ kind: event.target.value })}>
    <option value="">All kinds</option>
    ${words.map((one) => html`<option key=${one} value=${one}>${one} (${count(kinds[one] ?? 0)})</option>`)}
  </select>`;
}

// Changes and refusals; each time only those that are new.
function changesLoader() {
  let kept = [];
  return async () => {
    for (;;) {
      const { changes } = await ask("GET", `/v1/changes?after=${kept.at(-1)?.number ?? 0}&most=${MOST}`);
      if (changes.length) kept = [...kept, ...changes].slice(-KEPT);
      if (changes.length < MOST) return kept;
    }
  };
}

function Changes() {
  const started = useCell(revived); // a service that keeps nothing counts from 1 again
  const changes = useLive(useMemo(changesLoader, [started]), { every: EVERY, key: started });
  const [search, setSearch] = useState("");
  if (changes.error?.status === 403) return null; // for those who administer access
  const field = html`<input type="search" placeholder="Search (/)" aria-label="Search changes by principal, operation, object, address, result"
    value=${search} onInput=${(event) => setSearch(event.target.value)} />`;
  return html`<${Section} title="Changes" about="and refusals, the latest first" actions=${field}><${Loaded} of=${changes}
    empty=${(data) => !data.length && html`<${Empty} title="No changes yet">What changes something or is refused is listed here, with whoever asked for it.<//>`}>
    ${(data) => html`<${ChangesTable} changes=${having(data, search, textOf)} />`}<//><//>`;
}

const textOf = (one) => [one.principal, one.operation, one.about, one.channel, one.door, one.peer, one.result].join(" ");

function ChangesTable({ changes }) {
  const [shown, more] = useMore(useMemo(() => [...changes].reverse(), [changes]));
  if (!changes.length) return html`<${Empty} title="Nothing found">No change has all of these words.<//>`;
  return html`<div class="scroll"><table class="lines stacked">
    <thead><tr><th>Time</th><th>Who</th><th>Operation</th><th>About</th><th>Door</th><th>Address</th><th>Result</th></tr></thead>
    <tbody>${shown.map((one) => html`<tr key=${one.number}>
      <td class="nowrap" title=${`${ago(one.at)} ago`}>${time(one.at)}</td>
      <td class="name"><${Text} text=${one.principal} />${one.credential !== null && html` <span class="soft nowrap">credential ${one.credential}</span>`}</td>
      <td><code>${one.operation}</code></td>
      <td class="wide"><${Text} text=${one.about} />${one.channel && html` <span class="soft">in <${Text} text=${one.channel} /></span>`}</td>
      <td class="nowrap">${one.door}</td>
      <td class="nowrap"><${Text} text=${one.peer} /></td>
      <td class=${one.result === "done" ? "" : one.refused ? "bad" : "warn"}>${one.result.replaceAll("_", " ")}${one.count > 1 && html` <span class="soft nowrap">${count(one.count)} times</span>`}</td>
    </tr>`)}</tbody>
  </table></div>${more}`;
}
