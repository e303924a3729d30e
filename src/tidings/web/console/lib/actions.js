// Actions: one dialog for every operation of the catalogue.
//
//   act("set_qos", { at: { channel: 3 }, what: "channel roads" })
//   act("create_grant", { values: { principal: "ann" }, onDone: (answer) => … })
//
//   at      the ids or names in the path; those that are missing are asked for
//   what    how the object is called in the title
//   values  what the form begins with; by default what the object has now
//   edits   what in it is changed already
//   shape   called with the field of the body: the field that the form has instead
//   fit     called with the body, the draft and the first draft: the body that is sent
//   losing  what goes with an object that is destroyed, beside what it says of itself
//   onDone  called with the answer
//
// Before a change is sent, the object is compared with what the dialog has shown.
import { catalogue, filled } from "./catalogue.js";
import { Answer, secretOf, sentenceOf } from "./answers.js";
import { cell, useCell } from "./cell.js";
import { asCall, asCurl, Copy } from "./copying.js";
import { Dialog } from "./dialog.js";
import { Body, Field } from "./fields.js";
import { plural, visible } from "./format.js";
import { tellChanged } from "./live.js";
import { note } from "./log.js";
import { draftOf, faultsOf, Mistyped, same, valueOf } from "./schema.js";
import { ask, Away, Problem } from "./service.js";
import { Failed, Loading } from "./states.js";
import { toast } from "./toasts.js";
import { html, useEffect, useMemo, useRef, useState } from "./ui.js";

const open = cell(null);

export const act = (name, given = {}) => open.set({ at: {}, what: "", ...given, name });

export function ActionDialog() {
  const asked = useCell(open);
  const [ready, setReady] = useState(null);
  useEffect(() => {
    setReady(null);
    if (asked) prepared(asked).then(setReady, (error) => setReady({ error }));
  }, [asked]);
  if (!asked) return null;
  const close = () => open.set(null);
  if (!ready || ready.error)
    return html`<${Dialog} title=${asked.what || "Action"} onClose=${close}>
      ${ready ? html`<${Failed} error=${ready.error} />` : html`<${Loading} />`}
    <//>`;
  return html`<${Form} key=${ready} asked=${asked} ...${ready} onClose=${close} />`;
}

async function prepared(asked) {
  const found = (await catalogue()).find(asked.name, asked.at);
  const operation = asked.shape ? { ...found, body: asked.shape(found.body) } : found;
  const shown = await look(operation, asked.at);
  const whole = operation.method === "PATCH" ? shown ?? undefined : undefined;
  const now = asked.values ?? (operation.shows ? shown?.[operation.shows] : whole);
  return { operation, shown, now, first: operation.body && draftOf(operation.body, asked.edits ? { ...now, ...asked.edits } : now) };
}

// The object that an operation is about, as it is now; null if there is none to see.
async function look(operation, at) {
  const path = operation.look;
  if (!path || ![...path.matchAll(/{(\w+)}/g)].every(([, name]) => name in at)) return null;
  try {
    return await ask("GET", filled(path, at));
  } catch (error) {
    if (error instanceof Problem && [403, 404].includes(error.status)) return null;
    throw error;
  }
}

function Form({ asked, operation, shown: before, now, first, onClose }) {
  const [draft, setDraft] = useState(first ?? {});
  const [at, setAt] = useState(asked.at);
  const [shown, setShown] = useState(before);
  const [faults, setFaults] = useState({ fields: {}, rest: "" });
  const [changes, setChanges] = useState([]);
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState(undefined);
  const form = useRef();
  useEffect(() => form.current?.querySelector("[aria-invalid=true]")?.focus(), [faults]);
  const missing = operation.parameters.filter((name) => !(name in asked.at));
  const request = useMemo(() => requestOf(operation, at, draft, now, asked.fit && ((body) => asked.fit(body, draft, first))), [operation, at, draft, now]);
  const title = asked.what ? `${operation.summary}: ${asked.what}` : operation.summary;

  const submit = async (event) => {
    event.preventDefault();
    if (request.mistyped) return setFaults({ fields: { [request.mistyped.path]: request.mistyped.message }, rest: "" });
    setBusy(true);
    setFaults({ fields: {}, rest: "" });
    try {
      const found = shown && (await look(operation, at));
      const different = found ? differences(shown, found) : [];
      if (different.length) {
        setShown(found);
        setChanges(different);
        return;
      }
      await send();
    } catch (error) {
      fail(error);
    } finally {
      setBusy(false);
    }
  };
  const send = async () => {
    const told = await ask(request.method, request.path, request.body);
    note({ ...lineOf(operation, request, title), result: "Done", ok: true });
    tellChanged();
    if (operation.answers && told !== null && !sentenceOf(told)) {
      setAnswer(told);
    } else {
      toast(`${title}: ${sentenceOf(told) || "done"}`);
      onClose();
    }
    asked.onDone?.(told); // which may open the next dialog
  };
  const fail = (error) => {
    const away = error instanceof Away;
    const message = away ? "The service does not answer. It may have done this or not; nothing typed here is lost." : error.message;
    if (!(error instanceof Problem || away)) console.error(error);
    note({ ...lineOf(operation, request, title), result: message, ok: false });
    setFaults(faultsOf(error.told ?? {}, message, operation.body, draft));
  };

  if (answer !== undefined)
    return html`<${Dialog} key="answer" title=${visible(title, 160)} onClose=${secretOf(answer) === null ? onClose : undefined} wide><div class="stack">
      <${Answer} answer=${answer} />
      <form method="dialog" onSubmit=${onClose}><footer><button class=${secretOf(answer) === null ? "primary" : ""} autofocus=${secretOf(answer) === null}>Close</button></footer></form>
    </div><//>`;
  const isLarge = (field) => field?.kind === "object" && (field.members.length > 3 || field.members.some((one) => isLarge(one.item)));
  const wide = isLarge(operation.body);
  return html`<${Dialog} title=${visible(title, 160)} onClose=${onClose} wide=${wide} alert=${operation.destroys}>
    <form ref=${form} onSubmit=${submit} novalidate>
      <p class="soft">${operation.text.split("\n\n")[0].replaceAll("\`", "")}</p>
      ${operation.destroys && shown && html`<${Losses} shown=${shown} />`}
      ${asked.losing && html`<p class="problem">${asked.losing}</p>`}
      ${missing.map((name) => html`<${Field} key=${name} field=${operation.fields[name]} draft=${at[name]} path=${name} faults=${faults.fields}
        onDraft=${(value) => setAt({ ...at, [name]: value })} />`)}
      ${operation.body && html`<${Body} field=${operation.body} draft=${draft} onDraft=${setDraft} faults=${faults.fields} />`}
      ${changes.length > 0 && html`<${Changes} changes=${changes} />`}
      ${faults.rest && html`<p class="problem" role="alert">${visible(faults.rest, 1000)}</p>`}
      <${Unplaced} operation=${operation} faults=${faults.fields} />
      <footer>
        <span class="left"><${Copy} what="curl" text=${request.mistyped ? "" : asCurl(hidden(operation, request))} />
          <${Copy} what="CLI" text=${request.mistyped ? "" : asCall(operation.name, request.fields)} /></span>
        <button type="button" onClick=${onClose}>Cancel</button>
        <button class=${operation.destroys ? "danger" : "primary"} disabled=${busy}>${changes.length ? "Do it anyway" : operation.summary}</button>
      </footer>
    </form>
  <//>`;
}

// What will be sent; of a change of properties only what differs from what there is.
function requestOf(operation, at, draft, now, fit) {
  try {
    const own = Object.fromEntries(operation.parameters.map((name) => [name, at[name] ?? ""]));
    let body = operation.body ? valueOf(operation.body, draft) : undefined;
    if (fit) body = fit(body);
    else if (operation.method === "PATCH" && now && body) body = changed(operation.body, body, now);
    if (operation.side && body) body.side = operation.side;
    const { side, ...told } = operation.side && body ? body : { ...(body ?? {}) };
    const fields = { ...own, ...(operation.side ? told : body ?? {}) };
    return { method: operation.method, path: filled(operation.path, own), body, fields: masked(operation.body, fields) };
  } catch (error) {
    if (error instanceof Mistyped) return { mistyped: error };
    throw error;
  }
}

// What differs from what there is, and what must be said; a list or an object that was emptied is sent as empty.
function changed(field, body, now) {
  const before = valueOf(field, draftOf(field, now)) ?? {};
  const needed = new Set(field.members.filter((one) => one.required).map((one) => one.name));
  const emptied = field.members.filter((one) => one.kind in EMPTY && one.name in before && !(one.name in body));
  return Object.fromEntries([
    ...Object.entries(body).filter(([name, value]) => needed.has(name) || !same(value, before[name])),
    ...emptied.map((one) => [one.name, EMPTY[one.kind]]),
  ]);
}

const EMPTY = { list: [], choices: [], object: {} };

// Passwords are in no line that is shown or copied.
function masked(field, told) {
  const secret = (field?.members ?? []).filter((one) => one.secret && told[one.name] !== undefined).map((one) => [one.name, "…"]);
  return { ...told, ...Object.fromEntries(secret) };
}

const hidden = (operation, request) => (request.body === undefined ? request : { ...request, body: masked(operation.body, request.body) });

const lineOf = (operation, request, what) => ({
  what, curl: asCurl(hidden(operation, request)), call: asCall(operation.name, request.fields),
});

// What moves by itself says nothing of what another operator does.
const MOVING = new Set(["accepted", "waiting", "seq", "plan", "spilled", "in_flight", "failures", "counts", "attached", "connected"]);

function differences(before, after) {
  return Object.keys({ ...before, ...after }).filter((name) => !MOVING.has(name) && !same(before[name], after[name]))
    .flatMap((name) => parts(name, before[name], after[name]));
}

const isPlain = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function parts(name, before, after) {
  if (!isPlain(before) || !isPlain(after)) return [{ name, before, after }];
  return Object.keys({ ...before, ...after }).filter((one) => !same(before[one], after[one]))
    .map((one) => ({ name: `${name}.${one}`, before: before[one], after: after[one] }));
}

const shownValue = (value) => (value === undefined ? "nothing" : visible(JSON.stringify(value), 120));

const Changes = ({ changes }) => html`<div class="meanwhile" role="alert">
  <p><strong>It has changed meanwhile.</strong> Somebody else, or a program, has set:</p>
  <ul>${changes.map((one) => html`<li><code>${visible(one.name)}</code>: ${shownValue(one.before)} → ${shownValue(one.after)}</li>`)}</ul>
</div>`;

const LOST = [["suppliers", "supplier"], ["consumers", "consumer"], ["proxies", "proxy", "proxies"], ["waiting", "waiting event"],
  ["in_flight", "event in flight", "events in flight"], ["constraints", "constraint"], ["holders", "holder"], ["sides", "side"], ["requests", "standing request"]];

function Losses({ shown }) {
  const size = (value) => (typeof value === "number" ? value : Array.isArray(value) ? value.length : Object.keys(value ?? {}).length);
  const told = LOST.filter(([name]) => size(shown[name])).map(([name, one, many]) => plural(size(shown[name]), one, many));
  return told.length > 0 && html`<p class="problem">It has ${told.join(", ")}.</p>`;
}

// Messages about what no field of the form stands for.
function Unplaced({ operation, faults }) {
  const known = new Set([...operation.parameters, ...(operation.body?.members ?? []).map((one) => one.name)]);
  const rest = Object.entries(faults).filter(([path]) => !known.has(path.split(/[.[]/)[0]));
  return rest.map(([path, message]) => html`<p class="problem" role="alert">${visible(path ? `${path}: ${message}` : message, 1000)}</p>`);
}
