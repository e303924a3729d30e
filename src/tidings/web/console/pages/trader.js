// The trader: service types with what they inherit, offers, links to other traders.
import { act } from "../lib/actions.js";
import { filled } from "../lib/catalogue.js";
import { plural, visibleLines } from "../lib/format.js";
import { useLive } from "../lib/live.js";
import { openMenu } from "../lib/menu.js";
import { Page, Section } from "../lib/page.js";
import { having, useMore } from "../lib/pages.js";
import { change } from "../lib/router.js";
import { Empty, Loaded } from "../lib/states.js";
import { Text } from "../lib/text.js";
import { Facts } from "../lib/tiles.js";
import { html, useMemo, useState } from "../lib/ui.js";
import { exportOffer } from "./trader/forms.js";
import { Offers } from "./trader/offers.js";
import { modeText, propertiesOf, rowsOf, subtypesOf, typeText } from "./trader/types.js";

const EVERY = 10;
const LONGEST_LINE = 4_000;

export default function Trader({ query }) {
  const types = useLive("/v1/trader/types", { every: EVERY });
  return html`<${Page} title="Trader" about="Which services are offered, by whom">
    <${Loaded} of=${types}>${({ types: all }) => {
      const chosen = all.find((one) => one.name === query.type);
      const properties = chosen ? propertiesOf(all, chosen.name) : [];
      return html`<div class=${chosen ? "trader with-details" : "trader"}>
          <${Types} types=${all} chosen=${chosen} />
          ${chosen && html`<${Details} types=${all} type=${chosen} properties=${properties} />`}
        </div>
        <${Offers} types=${all} query=${query} type=${chosen} properties=${properties} />`;
    }}<//>
    <${Links} />
    <${Settings} />
  <//>`;
}

const choose = (type) => change({ type, constraint: "", prefer: "" });

function Types({ types, chosen }) {
  const [search, setSearch] = useState("");
  const rows = useMemo(() => rowsOf(types), [types]);
  const [shown, more] = useMore(having(rows, search, ({ type }) => `${type.name} ${type.interface}`));
  const actions = html`<input type="search" placeholder="Search (/)" aria-label="Search service types" value=${search} onInput=${(event) => setSearch(event.target.value)} />
    <button onClick=${() => act("add_service_type")}>Add a service type</button>`;
  if (!rows.length) return html`<${Section} title="Service types" actions=${actions}><${Empty} title="No service types yet">
    An offer is exported under a service type, which says what properties it has.<//><//>`;
  return html`<${Section} title="Service types" about=${plural(types.length, "type")} actions=${actions}>
    ${shown.length ? html`<div class="scroll"><table class="lines stacked">
      <thead><tr><th>Service type</th>${!chosen && html`<th>Interface</th>`}<th>Properties</th></tr></thead>
      <tbody>${shown.map(({ type, depth, also }) => html`<tr key=${type.name} class=${type === chosen ? "chosen" : ""}>
        <td class="name" style=${{ paddingLeft: `${4 + 18 * depth}px` }}><span class="type-name">${depth > 0 && html`<span class="soft" aria-hidden="true">└</span>`}
          <button class="link" aria-pressed=${type === chosen} onClick=${() => choose(type === chosen ? "" : type.name)}><${Text} text=${type.name} /></button>
          ${type.masked && html`<span class="warn">masked</span>`}
          ${also.length > 0 && html`<span class="soft">also below <${Text} text=${also.join(", ")} /></span>`}</span></td>
        ${!chosen && html`<td class="middle"><${Text} text=${type.interface} /></td>`}
        <td class="wide"><${Properties} properties=${type.properties} /></td>
      </tr>`)}</tbody></table></div>${more}` : html`<${Empty} title="Nothing found">No service type is called like that.<//>`}
  <//>`;
}

const Properties = ({ properties }) => (properties.length ? html`<ul class="chips">${properties.map((one) => html`<li key=${one.name}>
  <${Text} text=${[modeText(one), typeText(one.value_type), one.name].filter(Boolean).join(" ")} /></li>`)}</ul>` : html`<span class="soft">–</span>`);

function Details({ types, type, properties }) {
  const links = (names) => (names.length ? html`<span class="who-list">${names.map((name) => html`<button key=${name} class="link" onClick=${() => choose(name)}>
    <${Text} text=${name} /></button>`)}</span>` : html`<span class="soft">none</span>`);
  return html`<${Section} title=${type.name} actions=${html`
      <button class="primary" disabled=${type.masked} onClick=${() => exportOffer(type.name, properties)}>Export an offer</button>
      <button aria-haspopup="menu" onClick=${(event) => openMenu(event.currentTarget, menuOf(type), `What can be done with ${type.name}`)}>Actions ▾</button>`}>
    <${Facts} facts=${[
      ["Interface", type.interface ? html`<${Text} text=${type.interface} />` : html`<span class="soft">none</span>`],
      ["Derived from", links(type.super_types)],
      ["Subtypes", links(subtypesOf(types, type.name))],
      ["State", type.masked ? html`<span class="warn">masked: nothing can be exported under it</span>` : "open"],
      ["Incarnation", type.incarnation],
    ]} />
    ${type.interface && html`<${Idl} key=${type.interface} id=${type.interface} />`}
    ${properties.length > 0 && html`<div class="scroll"><table class="lines properties">
      <thead><tr><th>Property</th><th>Type</th><th>Mode</th><th>Declared by</th></tr></thead>
      <tbody>${properties.map((one) => html`<tr key=${one.name}>
        <td class="nowrap"><${Text} text=${one.name} /></td><td class="nowrap"><code><${Text} text=${typeText(one.value_type)} /></code></td>
        <td class="nowrap">${modeText(one) || html`<span class="soft">normal</span>`}</td>
        <td class=${one.from === type.name ? "soft" : ""}>${one.from === type.name ? "this type" : html`<${Text} text=${one.from} />`}</td>
      </tr>`)}</tbody></table></div>`}
  <//>`;
}

// The interface in IDL, where the service knows it.
function Idl({ id }) {
  const found = useLive(filled("/v1/interfaces/{id}", { id }), { every: 0 });
  return found.data && html`<details class="idl"><summary>Interface in IDL</summary><pre>${visibleLines(found.data.text, LONGEST_LINE)}</pre></details>`;
}

function menuOf({ name, masked }) {
  const at = { type: name }, what = name;
  return [
    { text: "Derive a type…", act: () => act("add_service_type", { values: { super_types: [name] } }) },
    { text: masked ? "Unmask…" : "Mask…", act: () => act(masked ? "unmask_service_type" : "mask_service_type", { at, what }) },
    null,
    { text: "Withdraw its offers…", bad: true, act: () => act("withdraw_matching_offers", { what, values: { type: name } }) },
    { text: "Remove…", bad: true, act: () => act("remove_service_type", { at, what, onDone: () => choose("") }) },
  ];
}

function Links() {
  const links = useLive("/v1/trader/links", { every: EVERY });
  const actions = html`<button onClick=${() => act("add_link")}>Add a link</button>`;
  return html`<${Section} title="Links" about="to other traders, which queries can follow" actions=${actions}><${Loaded} of=${links}
    empty=${(data) => !data.links.length && html`<${Empty} title="No links yet">A link leads to another trader, where queries may go on.<//>`}>
    ${(data) => html`<div class="scroll"><table class="lines stacked">
      <thead><tr><th>Name</th><th>Other trader</th><th>Followed</th><th>At most</th><th><span class="unseen">Actions</span></th></tr></thead>
      <tbody>${data.links.map((one) => html`<tr key=${one.name}>
        <td class="name"><${Text} text=${one.name} /></td>
        <td class="wide"><code><${Text} text=${one.target} most=${120} title=${one.target} /></code></td>
        <td class="nowrap">${followed(one.default_rule)}</td><td class="nowrap">${followed(one.limiting_rule)}</td>
        <td class="n"><span class="row-actions"><button class="small" aria-label=${`Change link ${one.name}`} onClick=${() => act("modify_link", { at: { link: one.name }, what: one.name })}>Change…</button>
          <button class="small" aria-label=${`Remove link ${one.name}`} onClick=${() => act("remove_link", { at: { link: one.name }, what: one.name })}>Remove…</button></span></td>
      </tr>`)}</tbody></table></div>`}<//><//>`;
}

const followed = (rule) => rule.replaceAll("_", " ");

function Settings() {
  const found = useLive("/v1/trader/settings", { every: EVERY });
  return html`<${Section} title="Settings" actions=${found.data && html`<button onClick=${() => act("set_trader_settings", { values: found.data })}>Change…</button>`}>
    <${Loaded} of=${found}>${(data) => html`<details><summary>Defaults and maxima of queries and links</summary>
      <${Facts} facts=${Object.entries(data).map(([name, value]) => [name.replaceAll("_", " "), String(value).replaceAll("_", " ")])} /></details>`}<//><//>`;
}
