// Buyers say what they look for, see the constraint that is made of it, and get alerts.
import { useCell } from "/console/lib/cell.js";
import { Body } from "/console/lib/fields.js";
import { count, plural, visible } from "/console/lib/format.js";
import { useLive } from "/console/lib/live.js";
import { Page, Section } from "/console/lib/page.js";
import { ask } from "/console/lib/service.js";
import { Empty } from "/console/lib/states.js";
import { Text } from "/console/lib/text.js";
import { html, useEffect, useState } from "/console/lib/ui.js";
import { alerts, buyer, goOn, line, look, refusal, stop } from "./alerts.js";
import { kept } from "./kept.js";
import { isOpen, Offers, useSeconds } from "./offers.js";
import { sound, switchSound } from "./sound.js";
import { constraintOf } from "./wish.js";

const FORM = { kind: "object", members: [
  { kind: "text", name: "words", label: "Words in the item", text: "" },
  { kind: "text", name: "seller", label: "Seller", text: "" },
  { kind: "number", name: "low", label: "Price from", text: "" },
  { kind: "number", name: "high", label: "Price up to", text: "" },
] };
const SETTLED = 250;

// What is in the form; `edited` is the constraint if somebody has changed it by hand.
const draft = kept("draft", { name: "", categories: [], form: {}, edited: null });

export default function Look({ board }) {
  const who = useCell(buyer);
  useEffect(goOn, []);
  return html`<${Page} title="Alerts" about="Say what you look for; an alert comes when a seller announces it.">
    <div class="columns">
      <${Section} title="What you look for"><${Form} who=${who} all=${board.categories} /><//>
      <${Alerts} who=${who} />
    </div>
  <//>`;
}

function Form({ who, all }) {
  const { name, categories, form, edited } = useCell(draft), state = useCell(line), problem = useCell(refusal);
  const text = edited ?? constraintOf(form);
  const change = (some) => draft.set({ ...draft.value, ...some });
  const submit = (event) => {
    event.preventDefault();
    look({ name: name.trim(), wish: { text, categories } });
  };
  const turn = (one) => change({ categories: all.filter((each) => categories.includes(each) !== (each === one)) });
  return html`<form onSubmit=${submit} class="wish">
    <div class="field"><label for="buyer">Your name</label>
      <input id="buyer" value=${name} required maxlength="100" autocomplete="off" onInput=${(event) => change({ name: event.target.value })} />
      <small>Alerts wait under this name while you are away.</small></div>
    <fieldset><legend>Categories</legend><div class="checks">
      ${all.map((one) => html`<label key=${one}><input type="checkbox" checked=${categories.includes(one)} onChange=${() => turn(one)} /> ${one}</label>`)}
    </div><small>None stands for all.</small></fieldset>
    ${edited === null && html`<${Body} field=${FORM} draft=${form} onDraft=${(next) => change({ form: next })} faults=${{}} />`}
    <${Constraint} text=${text} categories=${categories} edited=${edited !== null} onText=${(next) => change({ edited: next })} />
    ${problem && html`<p class="problem" role="alert">${visible(problem.detail, 1000)}</p>`}
    <footer>
      ${who && html`<button type="button" disabled=${state !== "open"} onClick=${stop}>Stop looking</button>`}
      <button class="primary" disabled=${state === "opening"}>${who?.name === name.trim() ? "Change it" : "Look for it"}</button>
    </footer>
  </form>`;
}

// The constraint, checked while it is typed.
function Constraint({ text, categories, edited, onText }) {
  const wish = useSettled(JSON.stringify({ text, categories }));
  const checked = useLive(() => ask("POST", "/api/check", JSON.parse(wish)), { every: 3, key: wish });
  const { error, data } = checked;
  return html`<div class="field code">
    <label for="constraint">Constraint (ETCL)</label>
    <textarea id="constraint" rows="3" spellcheck=${false} value=${text} placeholder="everything in these categories" maxlength="2000"
      aria-invalid=${error ? "true" : null} aria-describedby="constraint-told" onInput=${(event) => onText(event.target.value)}></textarea>
    <div id="constraint-told">
      ${error && html`<p class="fault">${error.message}</p>`}
      ${data?.warnings.map((one) => html`<p class="caution">${one}</p>`)}
      ${data && html`<small>Matches ${count(data.matching)} of ${plural(data.tried, "open offer")}${data.tried < data.open && ", the newest"}.</small>`}
    </div>
    ${edited && html`<p><button type="button" class="link" onClick=${() => onText(null)}>Make it from the form again</button></p>`}
  </div>`;
}

function useSettled(value) {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), SETTLED);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

const STATES = { opening: "Connecting…", away: "Not connected; alerts wait at the service.", open: "Alerts arrive as sellers announce." };

function Alerts({ who }) {
  const all = useCell(alerts), state = useCell(line), isOn = useCell(sound);
  const [closed, showClosed] = useState(false);
  useSeconds();
  const open = all.filter(isOpen);
  const actions = html`<label class="switch"><input type="checkbox" role="switch" checked=${isOn} onChange=${(event) => switchSound(event.target.checked)} /> Sound</label>`;
  if (!who)
    return html`<${Section} title="Your alerts" actions=${actions}><${Empty} title="Nobody looks for anything here yet">Fill in the form; what comes while this page is closed waits for you.<//><//>`;
  return html`<${Section} title="Your alerts" id="alerts" actions=${actions}>
    <p class="soft" role="status">For <${Text} text=${who.name} />: ${plural(all.length, "alert")}, ${count(open.length)} open. ${STATES[state]}</p>
    ${state === "elsewhere" && html`<p class="meanwhile" role="alert">Another page takes the alerts of this buyer now.
      <button class="small" onClick=${() => look(who)}>Take them here</button></p>`}
    ${all.length > open.length && html`<label class="switch"><input type="checkbox" checked=${closed} onChange=${(event) => showClosed(event.target.checked)} /> Show what has closed</label>`}
    ${(closed ? all : open).length > 0 ? html`<${Offers} label="Your alerts" offers=${closed ? all : open} />`
      : html`<${Empty} title="Nothing open that you look for">${all.length ? "Offers vanish when they close." : "The next matching offer appears here."}<//>`}
  <//>`;
}
