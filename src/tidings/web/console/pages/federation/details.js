// One gateway, service or link of the federation: how it does, and what can be done with it.
import { act } from "../../lib/actions.js";
import { ago, count, plural, rate, time } from "../../lib/format.js";
import { afar, gatewayPath, STATES, stateOf, summaryOf } from "../../lib/federation.js";
import { useLive } from "../../lib/live.js";
import { openMenu } from "../../lib/menu.js";
import { change } from "../../lib/router.js";
import { Empty, Loaded } from "../../lib/states.js";
import { Text } from "../../lib/text.js";
import { Facts, Tiles } from "../../lib/tiles.js";
import { html } from "../../lib/ui.js";
import { startsOf } from "./trace.js";

export function Details({ graph, id, onOpen }) {
  const found = graph.nodes.get(id) ?? graph.links.get(id);
  const View = !found ? Gone : found.type === "service" ? Service : found.type ? (found.info ? Gateway : Elsewhere) : Link;
  return html`<section class="details federation-details" id="details" aria-label="What is chosen"><${View} key=${id} found=${found} graph=${graph} onOpen=${onOpen} /></section>`;
}

const Head = ({ kind, name, children }) => html`<header><h2 tabindex="-1"><span class="soft">${kind}</span> ${name}</h2>
  <div class="actions">${children}<button class="plain" aria-label="Close the details" onClick=${() => change({ at: "" })}>✕</button></div></header>`;

const Gone = () => html`<${Head} kind="" name="Nothing there" /><${Empty} title="It has ended">There is no such gateway, service or link any more, or nobody reaches it.<//>`;

const To = ({ node, id = node.id, onOpen }) => html`<button class="link" onClick=${() => onOpen(id, true)}><${Text} text=${node.name} /></button>`;

export const StateWord = ({ state, cause = "" }) => html`<span class=${STATES[state].tone}><span aria-hidden="true">${STATES[state].sign}</span> ${state}</span>${cause && html` <${Text} text=${cause} most=${600} />`}`;

// Gateways.

const at = ({ name }) => ({ at: { gateway: name }, what: `gateway ${name}` });

function menuOf(gateway) {
  const { info } = gateway, { waiting } = summaryOf([info]);
  const losing = waiting ? `${plural(waiting, "event waits", "events wait")} in its outboxes.` : "";
  const item = (text, name, more = {}) => ({ text, act: () => act(name, { ...at(gateway), ...more }) });
  const rests = info.paused, drains = info.draining;
  return [
    item("Make a standing request…", "ask_federation"),
    item("Change its sides…", "change_gateway"),
    null,
    ...(rests || drains ? [item("Resume…", "resume_gateway")] : []),
    ...(rests ? [] : [item("Pause…", "pause_gateway")]),
    ...(rests || drains ? [] : [item("Drain…", "drain_gateway")]),
    null,
    { ...item("Delete…", "delete_gateway", { losing }), bad: true },
  ];
}

const COUNTS = [["fresh", "Fresh", "Events that were published at its services"], ["carried", "Carried", "Deliveries it has made"],
  ["returned", "Returned", "Events that the federation had brought, left alone"], ["circled", "Circled", "Events stopped since they had been here before"],
  ["repeated", "Repeated", "Copies that another way had brought before"], ["unreachable", "Unreachable", "Deliveries that no way led to"],
  ["refused", "Refused", "Control events that were wrong, forged or replayed"]];
const WRONG = new Set(["unreachable", "refused"]);

function Gateway({ found, onOpen }) {
  const { info } = found, { word, tone, sign } = stateOf(info);
  return html`<${Head} kind="Gateway" name=${html`<${Text} text=${found.name} />`}>
      <button aria-haspopup="menu" onClick=${(event) => openMenu(event.currentTarget, menuOf(found), `What can be done with gateway ${found.name}`)}>Actions ▾</button><//>
    <p><span class=${tone}><span aria-hidden="true">${sign}</span> ${word}</span>${info.problem && html`: <${Text} text=${info.problem} most=${600} />`}
      <span class="soft"> · federation <${Text} text=${info.system} /></span></p>
    <${Tiles} tiles=${COUNTS.map(([name, label, title]) => ({ name: label, title, value: count(info[name]), tone: WRONG.has(name) && info[name] ? "bad" : "" }))} />
    ${info.last_refusal && html`<p class="meanwhile">Last refusal: <${Text} text=${info.last_refusal} most=${1000} /></p>`}
    <h3>Sides</h3><${Sides} links=${found.links} onOpen=${onOpen} />
    ${!info.problem && html`<h3>Standing requests</h3><${Requests} gateway=${found} />`}`;
}

// Of each: counts that are seldom above zero stand together, those that are.
const RARE = ["withheld", "outside", "repeated", "reconnects"];
const rareOf = (side) => RARE.filter((name) => side[name]).map((name) => `${count(side[name])} ${name}`).join(", ");

const Sides = ({ links, onOpen }) => html`<div class="scroll"><table class="lines stacked">
  <thead><tr><th>Service</th><th>Kind</th><th>State</th><th class="n">Received</th><th class="n">Sent</th><th class="n">Waiting</th><th class="n">Set aside</th><th>Also</th><th class="n">Filters</th></tr></thead>
  <tbody>${links.map((link) => html`<tr key=${link.id}>
    <td class="name"><${To} node=${link.service} id=${link.id} onOpen=${onOpen} /></td>
    <td class="soft nowrap"><${Text} text=${link.side.kind} /></td>
    <td class="wide"><${StateWord} state=${link.state} cause=${link.side.cause} /></td>
    <td class="n">${count(link.side.received)}<span class="small-only"> received</span></td><td class="n">${count(link.side.sent)}<span class="small-only"> sent</span></td>
    <td class=${link.side.waiting ? "n warn" : "n"}>${count(link.side.waiting)}<span class="small-only"> waiting</span></td>
    <td class=${link.side.set_aside ? "n bad" : "n"} title=${link.side.last_cause}>${count(link.side.set_aside)}<span class="small-only"> set aside</span></td>
    <td class="soft">${rareOf(link.side)}</td>
    <td class="n nowrap" title="Placed, of those that others have asked for">${count(link.side.placed)} of ${count(link.side.requested)}<span class="small-only"> filters</span></td>
  </tr>`)}</tbody>
</table></div>`;

function Requests({ gateway }) {
  const found = useLive(gatewayPath(gateway.name, "/requests"), { every: 2 });
  const none = html`<${Empty} title="Nobody has asked for anything"><button onClick=${() => act("ask_federation", at(gateway))}>Make a standing request</button><//>`;
  return html`<${Loaded} of=${found} empty=${(data) => !data.requests.length && none}>${(data) => html`<div class="scroll"><table class="lines stacked">
    <thead><tr><th>Request</th><th>What</th><th>For</th><th>At</th><th>Applies at</th><th>Does not apply</th><th><span class="unseen">Actions</span></th></tr></thead>
    <tbody>${data.requests.map((one) => html`<${Request} key=${[one.kind, one.what, one.source, ...one.targets].join("\n")} one=${one} gateway=${gateway} />`)}</tbody>
  </table></div>`}<//>`;
}

const BACK = { subscribe: "unsubscribe", announce: "unannounce" };

// Any gateway can take back what was asked of another.
function Request({ one, gateway }) {
  const back = () => act("ask_federation", { ...at(gateway), values: { kind: BACK[one.kind], what: one.what, source: one.source, targets: one.targets[0] } });
  return html`<tr>
    <td class="nowrap">${one.kind}</td>
    <td class="middle"><code><${Text} text=${one.what} most=${600} /></code></td>
    <td class="name"><span class="small-only">for </span><${Text} text=${one.source} /></td>
    <td class="name soft"><span class="small-only">at </span><${Text} text=${one.targets.join(", ")} most=${300} /></td>
    <td class="wide"><span class="small-only">applies at: </span>${one.applied.length ? html`<ul>${groupsOf(one).map(([how, services]) => html`<li key=${how}><${Text} text=${services.join(", ")} most=${400} />${how && html` <span class="soft">as <${Text} text=${how} most=${300} /></span>`}</li>`)}</ul>` : html`<span class="soft">nowhere</span>`}</td>
    <td class="wide"><ul>${one.refused.map((told) => html`<li key=${told} class="bad">refused: <${Text} text=${told} most=${400} /></li>`)}
      ${one.missing.length > 0 && html`<li class="warn">not reached: <${Text} text=${one.missing.join(", ")} most=${400} /></li>`}</ul></td>
    <td class="n"><button class="small" onClick=${back}>Take back…</button></td>
  </tr>`;
}

// Services where it stands in the same words, together.
function groupsOf({ applied, how }) {
  const groups = new Map();
  applied.forEach((service, index) => groups.set(how[index], [...(groups.get(how[index]) ?? []), service]));
  return [...groups];
}

const Elsewhere = ({ found, onOpen }) => html`<${Head} kind="Gateway" name=${html`<${Text} text=${found.name} />`} />
  <p class="soft">${found.isGone ? "It was reached before, and is not now." : "It is run elsewhere: the console there has its state and counts."}</p>
  <${Facts} facts=${[["Federation", html`<${Text} text=${found.system} />`], ["Joins", found.links.map((one) => html`<${To} key=${one.id} node=${one.service} onOpen=${onOpen} /> `)]]} />`;

// Services and links.

function Service({ found, graph, onOpen }) {
  const canStart = startsOf(graph).some((one) => one.id === found.id);
  const joined = found.links.map((one) => html`<li key=${one.id}><${To} node=${one.gateway} id=${one.side ? one.id : one.gateway.id} onOpen=${onOpen} /> ${one.side ? html`<${StateWord} state=${one.state} cause=${one.side.cause} />` : html`<span class="soft">${afar(one.gateway)}</span>`}</li>`);
  return html`<${Head} kind="Service" name=${html`<${Text} text=${found.name} />`}>
      ${canStart && html`<button onClick=${() => change({ from: found.id, path: "" })}>Trace from here</button>`}
      <button onClick=${() => change({ to: found.id, path: "" })}>Trace to here</button><//>
    <${Facts} facts=${[["Kind", html`<${Text} text=${found.kind} />`], ["Federation", html`<${Text} text=${found.system} />`],
      ["Joined by", joined.length ? html`<ul>${joined}</ul>` : "nobody that can be reached"]]} />
    ${!found.isOwn && html`<p class="soft">${found.isGone ? "It was reached before, and is not now." : "Gateways of this service reach it through others."}</p>`}`;
}

function Link({ found, onOpen }) {
  const { gateway, service, side, state } = found;
  if (!side) return html`<${Elsewhere} found=${gateway} onOpen=${onOpen} />`;
  return html`<${Head} kind="Link" name=${html`<${To} node=${gateway} onOpen=${onOpen} /> – <${To} node=${service} onOpen=${onOpen} />`} />
    <div class="columns"><${Facts} facts=${[
      ["State", html`<${StateWord} state=${state} cause=${side.cause} />`], side.since > 0 && ["Since", html`${time(side.since)} <span class="soft">(${ago(side.since)})</span>`],
      ["Adapter", html`<${Text} text=${side.adapter} /> <span class="soft"><${Text} text=${side.kind} /></span>`],
      ["From the service", `${count(side.received)} events, ${rate(found.inward)}/s`], ["Into the service", `${count(side.sent)} events, ${rate(found.outward)}/s`],
      ["Waiting", count(side.waiting)], ["Set aside", count(side.set_aside)], side.last_cause && ["Last one, because", html`<${Text} text=${side.last_cause} most=${1000} />`],
      ["Also", rareOf(side) || "–"]]} />
    <div><h3>Filters placed${side.requested > 0 && html` <span class="soft">${count(side.placed)} for ${count(side.requested)} requested</span>`}</h3>
      ${side.wants.length ? html`<ul class="chips">${side.wants.map((one) => html`<li key=${one}><${Text} text=${one} most=${2000} /></li>`)}</ul>` : html`<p class="soft">None: it asks the service for nothing.</p>`}</div></div>`;
}
