// Sellers announce lots. Each announcement has a number of this tab: sent again for want of an
// answer, it is accepted once.
import { useCell } from "/console/lib/cell.js";
import { Body } from "/console/lib/fields.js";
import { plural, visible } from "/console/lib/format.js";
import { Page, Section } from "/console/lib/page.js";
import { faultsOf, valueOf } from "/console/lib/schema.js";
import { ask, Away } from "/console/lib/service.js";
import { Empty } from "/console/lib/states.js";
import { Text } from "/console/lib/text.js";
import { html, useState } from "/console/lib/ui.js";
import { kept } from "./kept.js";
import { price } from "./offers.js";

const formOf = (categories) => ({ kind: "object", members: [
  { kind: "text", name: "seller", label: "Your name", required: true, text: "" },
  { kind: "text", name: "item", label: "Item", required: true, text: "Such as: Atlas, Peru" },
  { kind: "choice", name: "category", label: "Category", required: true, words: categories, text: "" },
  { kind: "number", name: "start_price", label: "Start price", required: true, text: "" },
  { kind: "whole", name: "open_seconds", label: "Open for", required: true, text: "Seconds, 10 to 3,600." },
] });
const MOST = 20;

const random = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (one) => one.toString(16).padStart(2, "0")).join("");

const draft = kept("sell", { open_seconds: "300" }, sessionStorage);
const desk = kept("desk", { page: random(), number: 1, tried: "" }, sessionStorage);
const announced = kept("announced", [], sessionStorage);

// The same again has the same number, anything else the next one.
function numbered(body) {
  const text = JSON.stringify(body), { tried, number } = desk.value;
  if (text !== tried) desk.set({ ...desk.value, tried: text, number: tried ? number + 1 : number });
  return { ...body, page: desk.value.page, number: desk.value.number };
}

async function announce(form) {
  const body = valueOf(form, draft.value);
  const { seq } = await ask("POST", "/api/offers", numbered(body));
  desk.set({ ...desk.value, tried: "", number: desk.value.number + 1 });
  announced.set([{ ...body, seq }, ...announced.value].slice(0, MOST));
  draft.set({ ...draft.value, item: "", start_price: "" });
}

export default function Sell({ board }) {
  const form = formOf(board.categories);
  const given = useCell(draft), done = useCell(announced);
  const [faults, setFaults] = useState({ fields: {}, rest: "" });
  const [busy, setBusy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await announce(form);
      setFaults({ fields: {}, rest: "" });
    } catch (error) {
      const away = error instanceof Away || error.status >= 500;
      const message = away ? "There was no answer. Nothing typed here is lost: announce it again, it is accepted once." : error.message;
      setFaults(faultsOf(away ? {} : error.told ?? {}, message));
    } finally {
      setBusy(false);
    }
  };
  return html`<${Page} title="Sell" about="Announce what you are going to sell; whoever looks for it gets an alert.">
    <div class="columns">
      <${Section} title="Announce">
        <form onSubmit=${submit} novalidate>
          <${Body} field=${form} draft=${given} onDraft=${(next) => draft.set(next)} faults=${faults.fields} />
          ${faults.rest && html`<p class="problem" role="alert">${visible(faults.rest, 1000)}</p>`}
          <footer><button class="primary" disabled=${busy}>${busy ? "Announcing…" : "Announce"}</button></footer>
        </form>
      <//>
      <${Section} title="Announced here" about=${done.length ? plural(done.length, "lot") : ""}>
        ${done.length ? html`<table><thead><tr><th>Item</th><th class="n">Start price</th><th class="n">Offer</th></tr></thead>
          <tbody>${done.map((one) => html`<tr key=${one.seq}><td><${Text} text=${one.item} most=${120} /> <small>${one.category}</small></td>
            <td class="n">${price(one.start_price)}</td><td class="n">${one.seq}</td></tr>`)}</tbody></table>`
          : html`<${Empty} title="Nothing announced yet">The number of an offer is the service's.<//>`}
      <//>
    </div>
  <//>`;
}
