// One object: what it is set to, what it holds, and how it does.
import { act } from "../../lib/actions.js";
import { filled } from "../../lib/catalogue.js";
import { count, visible } from "../../lib/format.js";
import { useLive } from "../../lib/live.js";
import { called, openObjectMenu } from "../../lib/objects.js";
import { address } from "../../lib/router.js";
import { Empty, Loaded } from "../../lib/states.js";
import { Name, Text } from "../../lib/text.js";
import { Facts } from "../../lib/tiles.js";
import { html } from "../../lib/ui.js";

const PATHS = {
  channel: "/v1/channels/{channel}",
  admin: "/v1/channels/{channel}/admins/{side}/{admin}",
  proxy: "/v1/channels/{channel}/proxies/{proxy}",
};

export function Details({ object }) {
  const path = PATHS[object.kind] && filled(PATHS[object.kind], object.at);
  return html`<section class="details" id="details" aria-label="The selected object">
    <header>
      <h2 tabindex="-1">${title(object)}</h2>
      ${!object.gone && html`<button aria-haspopup="menu" onClick=${(event) => openObjectMenu(event.currentTarget, object)}>Actions ▾</button>`}
    </header>
    ${object.gone ? html`<${Empty} title="It has ended">There is no such object any more, or you may not see it.<//>`
      : path ? html`<${Shown} key=${object.key} path=${path} object=${object} />` : html`<${Service} object=${object} />`}
  </section>`;
}

function title(object) {
  if (object.kind === "service") return "Service";
  if (object.kind === "admin") return `${object.at.side === "supplier" ? "Supplier" : "Consumer"} admin ${object.at.admin}`;
  return html`<${Name} name=${object.name} kind=${object.kind} id=${object.at[object.kind]} />`;
}

const Service = ({ object }) => html`
  <${Facts} facts=${[["Channels", count(object.children.length)], ["Waiting", count(object.waiting)]]} />
  <p class="actions"><button onClick=${() => act("create_channel")}>Create a channel</button></p>`;

function Shown({ path, object }) {
  const found = useLive(path, { every: 5 });
  return html`<${Loaded} of=${found}>${(data) => html`
    <${Facts} facts=${facts(object, data)} />
    ${data.filters && html`<${Filters} object=${object} filters=${data.filters} />`}
    ${data.types && html`<${Types} object=${object} types=${data.types} />`}
    ${data.counts && Object.keys(data.counts).length > 0 && html`<h3>Outcomes of its copies</h3>
      <${Facts} facts=${Object.entries(data.counts).map(([name, n]) => [name, count(n)])} />`}
    <${Properties} title="Quality of service" values=${data.qos} operation="set_qos" object=${object} />
    ${data.admin instanceof Object && html`<${Properties} title="Admin properties" values=${data.admin} operation="set_admin_properties" object=${object} />`}
  `}<//>`;
}

function facts(object, data) {
  if (object.kind === "channel")
    return [["Id", data.id], ["Accepted", count(data.accepted)], ["Waiting", count(data.waiting)], ["Latest number", count(data.seq)],
      ["Suppliers", count(data.suppliers)], ["Consumers", count(data.consumers)], ["Rules", `version ${data.plan}`]];
  if (object.kind === "admin")
    return [["Channel", html`<${Name} name=${object.parent?.name} kind="channel" id=${data.channel} />`], ["Filters joined by", data.operator.toUpperCase()], ["Proxies", count(data.proxies.length)],
      ["Priorities", data.priority_filter && `mapping filter ${data.priority_filter}`], ["Lifetimes", data.lifetime_filter && `mapping filter ${data.lifetime_filter}`]]
      .filter(([, value]) => value !== null);
  return [["Id", data.id], ["Serves", `${data.style} ${data.side}, ${data.form} events`], ["Admin", data.admin],
    ["State", object.state], data.owner && ["Owner", html`<${Text} text=${data.owner} />`],
    object.door && ["Client", html`${object.door} <${Text} text=${object.peer} />`],
    ...(data.side === "consumer" ? [["Waiting", `${count(data.waiting)}${data.spilled ? `, ${count(data.spilled)} of them on the disk` : ""}`],
      ["In flight", count(data.in_flight)], ["Lag", `${count(object.behind)} events`], ["Failures in a row", count(data.failures)]] : []),
    data.priority_filter !== null && ["Priorities", `mapping filter ${data.priority_filter}`],
    data.lifetime_filter !== null && ["Lifetimes", `mapping filter ${data.lifetime_filter}`]].filter(Boolean);
}

const target = (object) => ({ at: { ...object.at, ...(object.side ? { side: object.side } : {}) }, what: called(object) });

function Properties({ title, values, operation, object }) {
  return html`<h3>${title} <button class="small" onClick=${() => act(operation, target(object))}>Change…</button></h3>
    <${Facts} facts=${Object.entries(values).map(([name, value]) => [name, visible(String(value))])} />`;
}

function Types({ object, types }) {
  const operation = object.side === "supplier" ? "offer_change" : "subscription_change";
  const shown = (one) => (typeof one === "string" ? one : `${one.domain}::${one.type}`);
  return html`<h3>Event types ${object.side === "supplier" ? "offered" : "wanted"}
      <button class="small" onClick=${() => act(operation, target(object))}>Change…</button></h3>
    ${types.length ? html`<ul class="chips">${types.map((one) => html`<li><${Text} text=${shown(one)} /></li>`)}</ul>`
      : html`<p class="soft">${object.side === "supplier" ? "None named." : "All."}</p>`}`;
}

function Filters({ object, filters }) {
  const add = () => act("create_filter", { what: called(object), onDone: ({ id }) => act("add_filter", { ...target(object), values: { filter: id } }) });
  return html`<h3>Filters <button class="small" onClick=${add}>Add…</button></h3>
    ${Object.keys(filters).length === 0 && html`<p class="soft">None: every event passes.</p>`}
    ${Object.entries(filters).map(([attachment, filter]) => html`<${Filter} key=${filter} id=${filter} attachment=${attachment} object=${object} />`)}`;
}

function Filter({ id, attachment, object }) {
  const found = useLive(`/v1/filters/${id}`, { every: 0 });
  const detach = () => act("remove_filter", { at: { ...target(object).at, attachment: Number(attachment) }, what: `filter ${id} of ${called(object)}` });
  return html`<div class="filter">
    <header><span>Filter ${id}</span>
      <a href=${address("filters", { filter: id, at: object.key })}>Open</a>
      <button class="small" aria-haspopup="menu" onClick=${(event) => openObjectMenu(event.currentTarget, { kind: "filter", at: { filter: id }, name: "" })}>Change ▾</button>
      <button class="small" onClick=${detach}>Detach…</button></header>
    <${Loaded} of=${found}>${(data) => html`<ul>${Object.entries(data.constraints ?? data.mapped ?? {}).map(([key, one]) => html`<li key=${key}>
      <code><${Text} text=${one.text || "TRUE"} most=${2000} /></code>
      ${one.types.length > 0 && html` <span class="soft">for ${one.types.map((type) => visible(typeof type === "string" ? type : `${type.domain}::${type.type}`)).join(", ")}</span>`}
    </li>`)}</ul>`}<//>
  </div>`;
}
