// Dead letters: events that could not be delivered, why, and what becomes of them.
import { act } from "../lib/actions.js";
import { ago, count, plural, time, visible } from "../lib/format.js";
import { useLive } from "../lib/live.js";
import { ChannelLink, Choice, ProxyLink, useNames } from "../lib/names.js";
import { Page } from "../lib/page.js";
import { Pager, usePages } from "../lib/pages.js";
import { change } from "../lib/router.js";
import { Empty, Loaded } from "../lib/states.js";
import { Text } from "../lib/text.js";
import { html, useState } from "../lib/ui.js";

const EVERY = 10;
const COUNTED = 30; // all that there are have to be looked at
const SELECTED = 60; // and a constraint is tried on each
const AT_ONCE = 2_000; // more take longer than a page waits for an answer

export default function Letters({ query }) {
  const names = useNames();
  const asked = { channel: Number(query.channel) || 0, proxy: Number(query.proxy) || 0, matching: query.matching ?? "" };
  const letters = usePages("/v1/dead-letters", "dead_letters", { query: asked, every: asked.matching ? SELECTED : EVERY });
  const told = new URLSearchParams(Object.entries(asked).filter(([, value]) => value));
  const total = useLive(`/v1/dead-letters/count?${told}`, { every: asked.matching ? SELECTED : COUNTED });
  const n = total.data?.count;
  const isWrong = letters.error?.code === "invalid_constraint";
  const about = !n ? "" : `${plural(n, "event")} that could not be delivered${asked.channel || asked.matching ? ", as selected" : ""}`;
  return html`<${Page} title="Dead letters" about=${about} actions=${n > 0 && html`<${All} asked=${asked} n=${n} />`}>
    <${Selection} key=${asked.matching} asked=${asked} names=${names} wrong=${isWrong} />
    ${isWrong ? html`<pre class="problem" role="alert">${lines(letters.error.message)}</pre>`
      : html`<${Loaded} of=${letters} empty=${() => !letters.rows.length && !letters.before && html`<${None} asked=${asked} />`}>
        ${() => html`<${Table} letters=${letters} names=${names} asked=${asked} />`}<//>`}
  <//>`;
}

const None = ({ asked }) => (asked.channel || asked.matching ? html`<${Empty} title="None like that">No dead letter is as selected.<//>`
  : html`<${Empty} title="No dead letters">An event that a consumer rejects, or fails to take too often, is kept here.<//>`);

function Selection({ asked, names, wrong }) {
  const [matching, setMatching] = useState(asked.matching);
  const submit = (event) => {
    event.preventDefault();
    change({ matching: matching.trim() });
  };
  return html`<form class="selection" onSubmit=${submit}>
    <${Choice} label="Channel" kind="channel" all="All channels" among=${names.channels} value=${asked.channel} onChoose=${(channel) => change({ channel, proxy: "" })} />
    ${asked.channel > 0 && html`<${Choice} label="Consumer" kind="proxy" all="All consumers" among=${names.consumers(asked.channel)} value=${asked.proxy} onChoose=${(proxy) => change({ proxy })} />`}
    <input type="search" class="mono" spellcheck=${false} placeholder="A constraint, such as $rate > 50 (/)" aria-label="Constraint that events match" aria-invalid=${wrong ? "true" : null} value=${matching}
      onInput=${(event) => setMatching(event.target.value)} onChange=${submit} />
    <button>Select</button>
  </form>`;
}

// All that are selected; the dialogs have the number, and act on no more.
function All({ asked, n }) {
  const values = { channel: asked.channel || null, proxy: asked.proxy || null, filter: asked.matching, most: Math.min(n, AT_ONCE) };
  const what = `${n > AT_ONCE ? `the first ${count(AT_ONCE)}` : `all ${count(n)}`}${asked.channel || asked.matching ? " selected" : ""}`;
  return html`<button onClick=${() => act("redrive_dead_letters", { values, what })}>Redrive ${what}…</button>
    <button onClick=${() => act("drop_dead_letters", { values, what })}>Drop ${what}…</button>`;
}

const kindOf = ({ domain, type }) => (domain || type ? `${domain}::${type}` : "no type");

function Table({ letters, names, asked }) {
  return html`<div><div class="scroll"><table class="lines stacked">
    <thead><tr><th><span class="unseen">Open</span></th><th>Given up</th><th>Channel</th><th>Consumer</th><th>Event</th><th>Cause</th><th><span class="unseen">Actions</span></th></tr></thead>
    <tbody>${letters.rows.map((one) => html`<${Row} key=${one.id} one=${one} names=${names} asked=${asked} />`)}</tbody>
  </table></div><${Pager} of=${letters} /></div>`;
}

function Row({ one, names, asked }) {
  const [open, setOpen] = useState(false);
  const at = { at: { id: one.id }, what: `dead letter ${one.id}` };
  const id = `letter-${one.id}`;
  return html`<tr>
      <td><button class="plain small" aria-expanded=${open} aria-controls=${id} aria-label=${`Dead letter ${one.id}`} onClick=${() => setOpen(!open)}>${open ? "▾" : "▸"}</button></td>
      <td class="nowrap" title=${`${ago(one.at)} ago`}>${time(one.at)}</td>
      <td><${ChannelLink} id=${one.channel} name=${names.channel(one.channel)} /></td>
      <td><${ProxyLink} channel=${one.channel} id=${one.proxy} name=${names.proxy(one.channel, one.proxy)} /></td>
      <td class="middle"><${Text} text=${kindOf(one.event)} most=${120} /> <span class="soft"><${Text} text=${one.event.name} most=${80} /></span></td>
      <td class="wide"><${Text} text=${one.causes.at(-1)?.reason} most=${160} />${one.causes.length > 1 && html` <span class="soft nowrap">and ${plural(one.causes.length - 1, "cause")} before</span>`}</td>
      <td><span class="row-actions"><button class="small" onClick=${() => act("redrive_dead_letter", at)}>Redrive…</button>
        <button class="small" onClick=${() => act("drop_dead_letter", at)}>Drop…</button></span></td>
    </tr>
    ${open && html`<tr id=${id}><td></td><td colspan="6" class="wide"><${Opened} one=${one} isOnly=${Boolean(asked.proxy)} /></td></tr>`}`;
}

const Opened = ({ one, isOnly }) => html`<div class="columns">
  <div><h3>Causes</h3>
    <ul class="notices">${one.causes.map((cause) => html`<li><span class="soft nowrap">${time(cause.at)}</span><${Text} text=${cause.reason} most=${2000} /></li>`)}</ul>
    <p class="soft">Dead letter ${one.id} is event ${count(one.seq)} of its channel, accepted ${time(one.arrival)}, given up ${time(one.at)}.</p>
    ${!isOnly && html`<p><button class="link" onClick=${() => change({ channel: one.channel, proxy: one.proxy })}>Only those of this consumer</button></p>`}</div>
  <div><h3>Event</h3><pre tabindex="0">${lines(JSON.stringify(one.event, null, 2))}</pre></div>
</div>`;

const lines = (text) => text.split("\n").slice(0, 200).map((line) => visible(line, 1000)).join("\n");
