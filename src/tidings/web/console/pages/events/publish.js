// A new event: typed, tried, sent; what was typed stays.
import { useCatalogue } from "../../lib/catalogue.js";
import { asCurl, Copy, quoted } from "../../lib/copying.js";
import { Field } from "../../lib/fields.js";
import { count, plural, visible } from "../../lib/format.js";
import { tellChanged } from "../../lib/live.js";
import { note } from "../../lib/log.js";
import { faultsOf, Mistyped } from "../../lib/schema.js";
import { ask, Away } from "../../lib/service.js";
import { Loading } from "../../lib/states.js";
import { named } from "../../lib/text.js";
import { html, useEffect, useMemo, useRef, useState } from "../../lib/ui.js";
import { TYPES } from "../../lib/values.js";
import { emptyDraft, emptyRow, eventOf } from "./draft.js";
import { judgement, lanesOf, Path } from "./trail.js";

const NAMES = [["domain", "Domain", true], ["type", "Type", true], ["name", "Name", false]];

// What is sent again because no answer came has the same number: the service accepts it once.
const producer = `console-${crypto.getRandomValues(new Uint32Array(1))[0].toString(16)}`;
let sent = 0, unanswered = null;

function numberOf(text) {
  if (unanswered?.text !== text) unanswered = { text, number: ++sent };
  return unanswered.number;
}

export function Publish({ channel, draft, onDraft, onOpen }) {
  const standard = useCatalogue()?.find("validate_event_qos").body.members;
  const [faults, setFaults] = useState({ fields: {}, rest: "" });
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState(null);
  const form = useRef(), shown = useRef();
  const made = useMemo(() => standard && madeOf(draft, standard), [draft, standard]);
  useEffect(() => form.current?.querySelector("[aria-invalid=true]")?.focus(), [faults]);
  useEffect(() => shown.current?.scrollIntoView({ block: "nearest" }), [result]);
  if (!standard) return html`<${Loading} />`;

  const path = `/v1/channels/${channel.id}/events`;
  const where = named("channel", channel.id, channel.name);
  const line = made.event && { curl: asCurl({ method: "POST", path, body: made.event }), call: asPublish(channel, made.event) };
  const log = (result, ok) => note({ what: `Publish into ${where}`, ...line, result, ok });
  const attempt = async (act, onFault = () => {}) => {
    if (made.mistyped) return setFaults({ fields: { [`event.${made.mistyped.path}`]: made.mistyped.message }, rest: "" });
    setFaults({ fields: {}, rest: "" });
    setBusy(true);
    try {
      await act(made.event);
    } catch (error) {
      const message = error instanceof Away ? "The service does not answer. Send it again: it is accepted once." : error.message;
      if (!(error.told || error instanceof Away)) console.error(error);
      onFault(message);
      setFaults(faultsOf(error.told ?? {}, error.told?.where ? error.told.problem ?? message : message));
    } finally {
      setBusy(false);
    }
  };
  const send = () => attempt(async (event) => {
    const { seq, warnings = [] } = await ask("POST", path, { event, producer, number: numberOf(path + JSON.stringify(event)) });
    unanswered = null;
    log(`Accepted as number ${seq}`, true);
    setResult({ seq, warnings, fate: seq > 0 && (await ask("GET", `${path}/${seq}/fate?most=1`).catch(() => null)) });
    tellChanged();
  }, (message) => log(message, false));
  const tryIt = () => attempt(async (event) => setResult({ judged: await judgement(channel, event) }));
  const field = (name, label, required) => html`<${Field} key=${name} field=${{ kind: "text", label, required, text: "" }} draft=${draft[name]} path=${`event.${name}`}
    faults=${faults.fields} onDraft=${(value) => onDraft({ ...draft, [name]: value })} />`;

  return html`<form ref=${form} class="publish" novalidate onSubmit=${(event) => { event.preventDefault(); send(); }}>
    <div class="members many">${NAMES.map((one) => field(...one))}</div>
    <fieldset><legend>Header</legend>
      <div class="members many">${standard.map((one) => html`<${Field} key=${one.name} field=${one} draft=${draft.standard[one.name]} path=${`event.header.${one.name}`}
        faults=${faults.fields} onDraft=${(value) => onDraft({ ...draft, standard: { ...draft.standard, [one.name]: value } })} />`)}</div>
      <${Values} what="property" where="header" rows=${draft.header} faults=${faults.fields} onRows=${(header) => onDraft({ ...draft, header })} />
    </fieldset>
    <fieldset><legend>Data</legend>
      <${Values} what="value" where="data" rows=${draft.data} faults=${faults.fields} onRows=${(data) => onDraft({ ...draft, data })} />
    </fieldset>
    <fieldset><legend>Body</legend>
      <${Value} what="body" row=${{ type: draft.bodyType, text: draft.body }} path="event.body" faults=${faults.fields}
        onRow=${({ type, text }) => onDraft({ ...draft, bodyType: type, body: text })} />
    </fieldset>
    ${faults.rest && html`<p class="problem" role="alert">${visible(faults.rest, 1000)}</p>`}
    <${Unplaced} faults=${faults.fields} draft=${draft} standard=${standard} />
    <footer>
      <span class="left"><${Copy} what="curl" text=${line?.curl} /> <${Copy} what="CLI" text=${line?.call} /></span>
      <button type="button" onClick=${() => { onDraft(emptyDraft()); setResult(null); setFaults({ fields: {}, rest: "" }); }}>Clear</button>
      <button type="button" disabled=${busy} onClick=${tryIt}>Dry run</button>
      <button class="primary" disabled=${busy}>${result?.seq ? "Send again" : "Send"}</button>
    </footer>
    <div ref=${shown} role="status">${result && html`<${Result} result=${result} onOpen=${onOpen} />`}</div>
  </form>`;
}

function madeOf(draft, standard) {
  try {
    return { event: eventOf(draft, standard) };
  } catch (error) {
    if (error instanceof Mistyped) return { mistyped: error };
    throw error;
  }
}

const asPublish = (channel, event) => `printf '%s\\n' ${quoted(JSON.stringify(event))} | tidings publish ${quoted(channel.name || String(channel.id))} --json-lines -`;

function Values({ what, where, rows, faults, onRows }) {
  const changed = (at, row) => onRows(rows.map((one, index) => (index === at ? row : one)));
  return html`${rows.map((row, at) => html`<${Value} key=${at} what=${`${what} ${at + 1}`} row=${row} path=${`event.${where}.${row.name}`} faults=${faults} named
      onRow=${(next) => changed(at, next)} onRemove=${() => onRows(rows.filter((_, index) => index !== at))} />`)}
    <button type="button" class="small" onClick=${() => onRows([...rows, emptyRow()])}>Add a ${what}</button>`;
}

// Name, type and value; a fault at a place inside the value belongs to it, too.
function Value({ what, row, path, faults, named: isNamed, onRow, onRemove }) {
  const fault = Object.entries(faults).find(([at]) => at === path || at.startsWith(`${path}.`) || at.startsWith(`${path}[`))?.[1];
  const given = { "aria-label": `Value of ${what}`, "aria-invalid": fault ? "true" : null, spellcheck: false, autocomplete: "off",
    value: row.text, onInput: (event) => onRow({ ...row, text: event.target.value }) };
  return html`<div class=${isNamed ? "value-row" : "value-row unnamed"}>
    ${isNamed && html`<input aria-label=${`Name of ${what}`} placeholder="name" spellcheck=${false} autocomplete="off" value=${row.name} onInput=${(event) => onRow({ ...row, name: event.target.value })} />`}
    <select aria-label=${`Type of ${what}`} value=${row.type} onChange=${(event) => onRow({ ...row, type: event.target.value })}>
      ${Object.entries(TYPES).map(([id, words]) => html`<option key=${id} value=${id}>${words}</option>`)}
    </select>
    ${row.type === "json" || !isNamed ? html`<textarea rows="2" placeholder=${row.type === "json" ? '[1, 2], {"a": 1} or {"$type": "short", "value": 3}' : ""} ...${given}></textarea>`
      : html`<input placeholder="value" ...${given} />`}
    ${onRemove && html`<button type="button" class="plain" aria-label=${`Remove ${what}`} onClick=${onRemove}>✕</button>`}
    ${fault && html`<p class="fault" role="alert">${visible(fault, 1000)}</p>`}
  </div>`;
}

// Messages about what no field of the form stands for.
function Unplaced({ faults, draft, standard }) {
  const known = [...NAMES.map(([name]) => name), "body", ...standard.map((one) => `header.${one.name}`),
    ...draft.header.map((row) => `header.${row.name}`), ...draft.data.map((row) => `data.${row.name}`)].map((path) => `event.${path}`);
  const rest = Object.entries(faults).filter(([at]) => !known.some((path) => at === path || at.startsWith(`${path}.`) || at.startsWith(`${path}[`)));
  return rest.map(([at, message]) => html`<p class="problem" role="alert" key=${at}>${visible(`${at.replace(/^event\./, "")}: ${message}`, 1000)}</p>`);
}

function Result({ result: { seq, fate, warnings = [], judged }, onOpen }) {
  if (judged) {
    const { accepted, recipients, steps } = judged.trail;
    const consumers = steps.filter((step) => step.stage === "consumer").length;
    return html`<div class="result">
      <p><b>${accepted ? `It would be accepted, for ${count(recipients.length)} of ${plural(consumers, "consumer")}` : "It would not be accepted"}</b>; nothing was sent.</p>
      <${Path} start="Supplier" about="without filters" lanes=${lanesOf([], steps, judged.names)} judged=${judged} />
    </div>`;
  }
  const matched = fate && Object.values(fate.counts).reduce((all, one) => all + one, 0);
  return html`<div class="result">
    <p><b>${seq > 0 ? `Accepted as number ${count(seq)}` : seq === 0 ? "A filter stopped it" : "It was accepted before"}</b>${fate ? `, for ${plural(matched, "consumer")}` : ""}.
      ${seq > 0 && html` <button type="button" class="link" onClick=${() => onOpen({ number: seq })}>What became of it</button>`}</p>
    ${warnings.map((one) => html`<p class="warn" key=${one}>${visible(one, 400)}</p>`)}
  </div>`;
}
