// Offers: all of them page by page, or those of a type that a constraint matches, the best first.
import { act } from "../../lib/actions.js";
import { useAnswer } from "../../lib/asking.js";
import { useCell } from "../../lib/cell.js";
import { asCall, Copy } from "../../lib/copying.js";
import { plural, time, visible } from "../../lib/format.js";
import { changed } from "../../lib/live.js";
import { Section } from "../../lib/page.js";
import { Pager, usePages } from "../../lib/pages.js";
import { change } from "../../lib/router.js";
import { constraintFault } from "../../lib/schema.js";
import { ask } from "../../lib/service.js";
import { Empty, Failed, Loaded, Loading } from "../../lib/states.js";
import { Text } from "../../lib/text.js";
import { html, useEffect, useState } from "../../lib/ui.js";
import { propertiesOf } from "./types.js";
import { changeOffer } from "./forms.js";

const EVERY = 10;
const PAGE = 100, MOST = 1_000;

export function Offers({ types, query, type }) {
  return type ? html`<${Found} key=${type.name} types=${types} type=${type.name} query=${query} />` : html`<${All} types=${types} />`;
}

function All({ types }) {
  const all = usePages("/v1/trader/offers", "offers", { idOf: (one) => one.id.split("/").at(-1), every: EVERY });
  return html`<${Section} title="Offers" about="of all types; choose a type to ask for some"><${Loaded} of=${all}
    empty=${() => !all.rows.length && !all.before && html`<${Empty} title="No offers yet">${types.length ? "Choose a service type to export one." : "An offer needs a service type."}<//>`}>
    ${() => html`<${Table} offers=${all.rows} types=${types} /><${Pager} of=${all} />`}<//><//>`;
}

function Found({ types, type, query }) {
  const { constraint = "", prefer = "", exact = "" } = query;
  const [most, setMost] = useState(PAGE);
  const round = useCell(changed);
  useEffect(() => setMost(PAGE), [constraint, prefer]);
  // Exactly as many are returned as are wanted, so that the service keeps no iterator.
  const body = { type, constraint, preference: prefer, how_many: most, policies: { return_card: most, ...(exact && { exact_type_match: true }) } };
  const found = useAnswer(JSON.stringify([body, round]), () => ask("POST", "/v1/trader/query", body));
  const fault = found.error && faultOf(found.error.told ?? {}, found.error.message);
  const input = (name, label, value, placeholder) => html`<div class="field"><label for=${`offers-${name}`}>${label}</label>
    <input id=${`offers-${name}`} class="mono" value=${value} placeholder=${placeholder} spellcheck=${false} autocomplete="off" aria-invalid=${fault?.at === name ? "true" : null}
      aria-describedby=${`offers-${name}-fault`} onInput=${(event) => change({ [name]: event.target.value })} />
    ${fault?.at === name && html`<p class="fault" id=${`offers-${name}-fault`}>${fault.text}</p>`}</div>`;
  return html`<${Section} title="Offers" about=${html`of <${Text} text=${type} />${exact ? "" : " and its subtypes"}`}
      actions=${html`<label class="check"><input type="checkbox" checked=${Boolean(exact)} onChange=${(event) => change({ exact: event.target.checked ? "yes" : "" })} /> Without subtypes</label>
        <${Copy} what="CLI" text=${asCall("query_offers", { type, ...(constraint && { constraint }), ...(prefer && { preference: prefer }) })} />`}>
    <div class="offer-query code">
      ${input("constraint", "Constraint", constraint, "cost < 20 and 'duplex' in features")}
      ${input("prefer", "Preference", prefer, "min cost")}
    </div>
    ${fault ? fault.at ? html`<p class="soft">Once this is valid, the offers are here.</p>` : html`<${Failed} error=${found.error} />`
      : found.data ? html`<${Answer} data=${found.data} types=${types} most=${most} onMore=${() => setMost(Math.min(MOST, most + PAGE))} isAll=${!constraint} />`
      : html`<${Loading} />`}
  <//>`;
}

const PLACES = { illegal_constraint: "constraint", illegal_preference: "prefer" };

function faultOf(told, message) {
  const at = PLACES[told.code];
  return { at, text: at && typeof told.position === "number" && told.text ? constraintFault(told, message) : message };
}

function Answer({ data, types, most, onMore, isAll }) {
  const cut = data.limits.filter((one) => one !== "return_card"), isMore = cut.length < data.limits.length;
  return html`
    ${[...data.notes, ...cut.map((one) => `Cut off by ${one}: not all offers were looked at.`)].map((one) => html`<p class="meanwhile" key=${one}>${visible(one, 400)}</p>`)}
    ${data.offers.length ? html`<${Table} offers=${data.offers} types=${types} />
      <p class="pager">${isMore && most < MOST && html`<button class="small" onClick=${onMore}>Show more</button>`}
        <span class="soft">${isMore ? `the first ${plural(data.offers.length, "offer")}` : plural(data.offers.length, "offer")}</span></p>`
      : html`<${Empty} title=${isAll ? "No offers" : "No offer matches"}>${isAll ? "Nothing is exported under this type." : "A property that an offer lacks makes the constraint false."}<//>`}`;
}

const Table = ({ offers, types }) => html`<div class="scroll"><table class="lines stacked">
  <thead><tr><th>Offer</th><th>Properties</th><th>Reference</th><th>Owner</th><th>Exported</th><th><span class="unseen">Actions</span></th></tr></thead>
  <tbody>${offers.map((one) => html`<tr key=${one.id}>
    <td class="name"><${Text} text=${one.id} /></td>
    <td class="wide"><${Values} properties=${one.properties} /></td>
    <td class="middle"><code><${Text} text=${one.reference} most=${60} title=${visible(one.reference, 2000)} /></code></td>
    <td>${one.owner ? html`<${Text} text=${one.owner} />` : html`<span class="soft">the service's owner</span>`}</td>
    <td class="nowrap">${time(one.exported)}</td>
    <td class="n"><span class="row-actions"><button class="small" aria-label=${`Change ${one.id}`} onClick=${() => changeOffer(one, propertiesOf(types, one.type))}>Change…</button>
      <button class="small" aria-label=${`Withdraw ${one.id}`} onClick=${() => act("withdraw_offer", { at: { offer: one.id }, what: one.id })}>Withdraw…</button></span></td>
  </tr>`)}</tbody></table></div>`;

const Values = ({ properties }) => {
  const all = Object.entries(properties);
  return all.length ? html`<ul class="chips">${all.map(([name, value]) => html`<li key=${name}><span class="soft"><${Text} text=${name} /> </span><${Text} text=${shown(value)} /></li>`)}</ul>`
    : html`<span class="soft">none</span>`;
};

function shown(value) {
  const plain = typeof value?.$type === "string" ? value.value : value;
  if (Array.isArray(plain) && plain.every((one) => typeof one !== "object")) return plain.join(", ");
  return typeof plain === "object" ? JSON.stringify(plain) : String(plain);
}
