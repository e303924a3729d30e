// What a person wants to hear of: kinds of change, service types with a constraint, single services.
import { useCell } from "/console/lib/cell.js";
import { plural, visible, visibleLines } from "/console/lib/format.js";
import { Page, Section } from "/console/lib/page.js";
import { rowsOf } from "/console/pages/trader/types.js";
import { go } from "/console/lib/router.js";
import { constraintFault } from "/console/lib/schema.js";
import { ask, Away } from "/console/lib/service.js";
import { Empty } from "/console/lib/states.js";
import { Text } from "/console/lib/text.js";
import { toast } from "/console/lib/toasts.js";
import { html, useEffect, useState } from "/console/lib/ui.js";
import { become, leave, subscriber } from "./inbox.js";

const NOTHING = { changes: true, new: true, services: [], references: [] };
const pathOf = (name) => `/api/subscribers/${encodeURIComponent(name)}`;

export default function Pick({ services }) {
  const who = useCell(subscriber);
  const [name, setName] = useState(who);
  const [wish, setWish] = useState(NOTHING);
  const [problem, setProblem] = useState(null);
  const [ending, setEnding] = useState(false);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (who) ask("GET", pathOf(who)).then((told) => told.wish && setWish(told.wish), () => {});
  }, [who]);
  const change = (some) => setWish({ ...wish, ...some });
  const attempt = async (work) => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      const told = error.told ?? {};
      const text = error instanceof Away ? "The agent does not answer. Nothing typed here is lost." : error.message;
      setProblem(typeof told.position === "number" ? { of: told.text, text: constraintFault(told, text) } : { text });
    } finally {
      setBusy(false);
    }
  };
  const submit = (event) => {
    event.preventDefault();
    attempt(async () => {
      await ask("PUT", pathOf(name.trim()), wish);
      become(name.trim());
      toast("From now on notices of this come");
      go("notices");
    });
  };
  return html`<${Page} title="What to hear of" about="Pick services and kinds of change; each notice is a document that you acknowledge.">
    <form onSubmit=${submit} class="pick">
      <div class="field"><label for="subscriber">Your name</label>
        <input id="subscriber" value=${name} required maxlength="64" autocomplete="off" onInput=${(event) => setName(event.target.value)} />
        <small>Notices wait under this name while you are away. Letters, digits and . _ @ + -</small></div>
      <fieldset><legend>Kinds of change</legend><div class="checks">
        <label class="check"><input type="checkbox" checked=${wish.changes} onChange=${(event) => change({ changes: event.target.checked })} /> Changes of services: type, properties, removal</label>
        <label class="check"><input type="checkbox" checked=${wish.new} onChange=${(event) => change({ new: event.target.checked })} /> New services</label>
      </div></fieldset>
      <${Types} types=${services.types} picked=${wish.services} problem=${problem} onPicked=${(picked) => change({ services: picked })} />
      <${Offers} offers=${services.offers} picked=${wish.references} onPicked=${(picked) => change({ references: picked })} />
      <p class="soft">${wish.services.length || wish.references.length ? html`Notices about ${plural(wish.services.length, "type")} and ${plural(wish.references.length, "single service")}.` : "Nothing picked stands for every service."}</p>
      ${problem && problem.of === undefined && html`<p class="problem" role="alert">${visible(problem.text, 1000)}</p>`}
      <footer>
        ${who && html`<button type="button" class=${ending ? "left danger" : "left"} disabled=${busy} onClick=${() => (ending ? attempt(leave) : setEnding(true))}>
          ${ending ? "End it, with the notices that wait" : html`Hear no more as <${Text} text=${who} />…`}</button>`}
        <button class="primary" disabled=${busy}>${who && who === name.trim() ? "Change it" : "Subscribe"}</button>
      </footer>
    </form>
  <//>`;
}

function Types({ types, picked, problem, onPicked }) {
  if (!types.length) return html`<${Section} title="Service types"><${Empty} title="No service types yet">The trader has none.<//><//>`;
  const at = (type) => picked.find((one) => one.type === type);
  const turn = (type) => onPicked(at(type) ? picked.filter((one) => one.type !== type) : [...picked, { type, constraint: "" }]);
  const isWrong = (type) => problem?.of && at(type)?.constraint === problem.of;
  const constrain = (type, constraint) => onPicked(picked.map((one) => (one.type === type ? { type, constraint } : one)));
  return html`<fieldset><legend>Service types</legend>
    ${rowsOf(types).map(({ type, depth }) => html`<div key=${type.name} class="pick-type" style=${{ paddingLeft: `${18 * depth}px` }}>
      <label class="check"><input type="checkbox" checked=${Boolean(at(type.name))} onChange=${() => turn(type.name)} /> <${Text} text=${type.name} /></label>
      ${at(type.name) && html`<input class="mono" aria-label=${`Only services of ${type.name} where`} value=${at(type.name).constraint} maxlength="4000"
        placeholder="only where, such as $Name == 'ISEL-Bank'" spellcheck=${false} autocomplete="off" aria-invalid=${isWrong(type.name) ? "true" : null}
        onInput=${(event) => constrain(type.name, event.target.value)} />`}
      ${isWrong(type.name) && html`<p class="fault" role="alert">${visibleLines(problem.text, 1000)}</p>`}
    </div>`)}
    <small>Each type by itself: a subtype is another one.</small>
  </fieldset>`;
}

function Offers({ offers, picked, onPicked }) {
  if (!offers.length) return null;
  const known = new Set(offers.map((one) => one.reference));
  const turn = (reference) => onPicked(picked.includes(reference) ? picked.filter((one) => one !== reference) : [...picked, reference]);
  return html`<details open=${picked.length > 0 || null}><summary>Single services</summary>
    <div class="pick-offers">${offers.map((one) => html`<label key=${one.id} class="check"><input type="checkbox" checked=${picked.includes(one.reference)} onChange=${() => turn(one.reference)} />
      <span><${Text} text=${one.id} /> <span class="soft"><${Text} text=${String(one.properties.Name ?? one.reference)} most=${60} /></span></span></label>`)}
    ${picked.filter((one) => !known.has(one)).map((one) => html`<label key=${one} class="check"><input type="checkbox" checked onChange=${() => turn(one)} /> <code><${Text} text=${one} most=${60} /></code></label>`)}</div>
  </details>`;
}
