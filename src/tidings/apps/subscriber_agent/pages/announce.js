// Service evolvers announce a change before they make it, and see who will be told.
import { useAnswer } from "/console/lib/asking.js";
import { Body } from "/console/lib/fields.js";
import { plural, visible } from "/console/lib/format.js";
import { useLive } from "/console/lib/live.js";
import { Page, Section } from "/console/lib/page.js";
import { draftOf, faultsOf, Mistyped, valueOf } from "/console/lib/schema.js";
import { ask, Away } from "/console/lib/service.js";
import { Empty } from "/console/lib/states.js";
import { Text } from "/console/lib/text.js";
import { toast } from "/console/lib/toasts.js";
import { html, useEffect, useMemo, useRef, useState } from "/console/lib/ui.js";
import { changedOf, membersOf } from "/console/pages/trader/properties.js";
import { propertiesOf } from "/console/pages/trader/types.js";

const KINDS = [
  ["CHANGE_TYPE", "The service gets another type"],
  ["CHANGE_PROPERTY_VAL", "Its properties change"],
  ["REMOVAL_SERVICE", "The service will be removed"],
  ["INSTANTIATION_SERVICE", "There will be a new service"],
];
const isNew = (kind) => kind === "INSTANTIATION_SERVICE";
const hasType = (kind) => kind === "CHANGE_TYPE" || isNew(kind);

const ABOUT = (kind) => ({ kind: "object", members: [
  { kind: "text", name: isNew(kind) ? "objective" : "reason", label: isNew(kind) ? "Objective" : "Reason", text: isNew(kind) ? "What the service is for." : "Why it changes." },
  { kind: "moment", name: "effective", label: "Takes place", text: "" },
  { kind: "moment", name: "expiry", label: "Worth telling until", text: "" },
  { kind: "whole", name: "priority", label: "Priority", text: "", low: 1, high: 10 },
  { kind: "text", name: "additional", label: "More", text: "Such as your company and its web site." },
] });

export default function Announce({ services }) {
  const [kind, setKind] = useState("CHANGE_TYPE");
  const [offer, setOffer] = useState("");
  const [type, setType] = useState("");
  const [evolver, setEvolver] = useState("");
  const old = services.offers.find((one) => one.id === offer);
  const target = hasType(kind) ? type : old?.type ?? "";
  const form = { kind, old: isNew(kind) ? undefined : old, type: target };
  return html`<${Page} title="Announce a change" about="Before you make it, so that clients can prepare; only registered service evolvers may.">
    <${Evolver} evolver=${evolver} onEvolver=${setEvolver} />
    <div class="members announce-what">
      <div class="field"><label for="kind">What will happen</label>
        <select id="kind" value=${kind} onChange=${(event) => setKind(event.target.value)}>${KINDS.map(([id, words]) => html`<option key=${id} value=${id}>${words}</option>`)}</select></div>
      ${!isNew(kind) && html`<div class="field"><label for="offer">Service</label>
        <select id="offer" value=${offer} onChange=${(event) => setOffer(event.target.value)}><option value="">–</option>
          ${services.offers.map((one) => html`<option key=${one.id} value=${one.id}>${visible(`${one.id} ${one.properties.Name ?? ""}`, 80)}</option>`)}</select></div>`}
      ${hasType(kind) && html`<div class="field"><label for="type">${isNew(kind) ? "Service type" : "Its new type"}</label>
        <select id="type" value=${type} onChange=${(event) => setType(event.target.value)}><option value="">–</option>
          ${services.types.map((one) => html`<option key=${one.name} value=${one.name}>${visible(one.name, 80)}</option>`)}</select></div>`}
    </div>
    ${(isNew(kind) || old) && (!hasType(kind) || target) ? html`<${Form} key=${`${kind} ${offer} ${target}`} ...${form} services=${services} evolver=${evolver} />`
      : html`<${Empty} title="Choose the service">The form follows.<//>`}
  <//>`;
}

function Evolver({ evolver, onEvolver }) {
  const known = useLive("/api/evolvers", { every: 10 });
  const [problem, setProblem] = useState("");
  const all = known.data?.evolvers ?? [];
  const isKnown = all.some((one) => one.id === evolver.trim());
  const register = async () => {
    try {
      await ask("POST", "/api/evolvers", { evolver: evolver.trim() });
      setProblem("");
      await known.refresh();
    } catch (error) {
      setProblem(error.message);
    }
  };
  return html`<div class="field evolver"><label for="evolver">You, the service evolver</label>
    <div class="inline"><input id="evolver" list="evolvers" value=${evolver} maxlength="64" autocomplete="off" onInput=${(event) => onEvolver(event.target.value)} />
      <datalist id="evolvers">${all.map((one) => html`<option key=${one.id} value=${one.id}></option>`)}</datalist>
      ${isKnown ? html`<span class="good nowrap">registered</span>` : evolver.trim() && html`<button onClick=${register}>Register</button>`}</div>
    ${problem && html`<p class="fault" role="alert">${visible(problem, 300)}</p>`}</div>`;
}

const NONE = { fields: {}, rest: "" };

function Form({ kind, old, type, services, evolver }) {
  const properties = useMemo(() => propertiesOf(services.types, type), [type]);
  const about = ABOUT(kind);
  const values = useMemo(() => ({
    kind: "object", name: "properties", label: "Properties", text: kind === "CHANGE_TYPE" ? "Of the service as it will be." : "", required: true, isOpen: true,
    members: membersOf(properties, kind === "CHANGE_PROPERTY_VAL" ? old.properties : {}),
  }), [kind, type]);
  const first = useMemo(() => (old ? draftOf(values, old.properties) : {}), [values]);
  const [draft, setDraft] = useState({ properties: first });
  const [given, setGiven] = useState({});
  const [reference, setReference] = useState("");
  const [faults, setFaults] = useState(NONE);
  const [busy, setBusy] = useState(false);
  const element = useRef();
  useEffect(() => element.current?.querySelector("[aria-invalid=true]")?.focus(), [faults]);
  const hasValues = kind !== "REMOVAL_SERVICE";
  const made = useMemo(() => madeOf({ kind, old, type, evolver, reference, about, given, values, draft, first, hasValues }), [kind, evolver, reference, given, draft]);
  const typed = (set) => (value) => {
    set(value);
    if (faults !== NONE) setFaults(NONE);
  };
  const submit = async (event) => {
    event.preventDefault();
    if (made.mistyped) return setFaults({ fields: { [made.mistyped.path]: made.mistyped.message }, rest: "" });
    setBusy(true);
    setFaults(NONE);
    try {
      const { notice } = await ask("POST", "/api/announcements", made.body);
      toast(`Announced as ${notice}`);
    } catch (error) {
      const away = error instanceof Away;
      setFaults(faultsOf(away ? {} : error.told ?? {}, away ? "There was no answer. Nothing typed here is lost." : error.message, { ...about, members: [...about.members, values] }, { ...given, ...draft }));
    } finally {
      setBusy(false);
    }
  };
  return html`<div class="columns">
    <form ref=${element} onSubmit=${submit} novalidate aria-label="The change">
      ${hasValues && html`<${Body} field=${{ kind: "object", members: [values] }} draft=${draft} onDraft=${typed(setDraft)} faults=${faults.fields} />`}
      ${hasType(kind) && html`<div class="field"><label for="reference">Object${isNew(kind) && html` <span class="soft">required</span>`}</label>
        <input id="reference" class="mono" value=${reference} placeholder=${isNew(kind) ? "IOR:…, corbaloc:…" : "as it is"} spellcheck=${false} autocomplete="off" onInput=${(event) => setReference(event.target.value)} /></div>`}
      <${Body} field=${about} draft=${given} onDraft=${typed(setGiven)} faults=${faults.fields} />
      ${faults.rest && html`<p class="problem" role="alert">${visible(faults.rest, 1000)}</p>`}
      <footer><button class="primary" disabled=${busy || !evolver.trim()}>Announce</button></footer>
    </form>
    <${Audience} body=${made.body} evolver=${evolver} />
  </div>`;
}

function madeOf({ kind, old, type, evolver, reference, about, given, values, draft, first, hasValues }) {
  try {
    const all = hasValues ? valueOf(values, draft.properties, "properties") : {};
    const changes = kind === "CHANGE_PROPERTY_VAL" ? changedOf(all, draft.properties, first) : { delete: [], properties: all };
    return { body: {
      evolver: evolver.trim() || "–", kind, offer: old?.id ?? "", type: hasType(kind) ? type : "", reference: hasType(kind) ? reference.trim() : "",
      properties: changes.properties, deleted: changes.delete, ...valueOf({ ...about, required: true }, given),
    } };
  } catch (error) {
    if (error instanceof Mistyped) return { mistyped: error };
    throw error;
  }
}

const SHOWN = 50;

function Audience({ body, evolver }) {
  const key = body ? JSON.stringify({ ...body, evolver: "" }) : null;
  const found = useAnswer(key, () => ask("POST", "/api/audience", body), { alone: true });
  const all = found.data?.audience ?? [], told = all.filter((one) => one.told);
  const order = [...told, ...all.filter((one) => !one.told)];
  return html`<${Section} title="Who will be told" about=${found.data && `${plural(told.length, "subscriber")} of ${all.length}`}>
    ${found.error ? html`<p class="soft">${visible(found.error.message, 400)}</p>`
      : !found.data ? html`<p class="soft">Asking…</p>`
      : all.length ? html`<table class="lines stacked" aria-label="Who will be told">
        <tbody>${order.slice(0, SHOWN).map((one) => html`<tr key=${`${one.subscriber} ${one.how}`}>
          <td class="name"><${Text} text=${one.subscriber} /></td><td class=${one.told ? "good nowrap" : "soft nowrap"}>${one.told ? "will be told" : "will not"}</td>
          <td class="wide soft">${one.reason && html`<${Text} text=${one.reason} most=${200} />`}</td></tr>`)}</tbody></table>
        ${order.length > SHOWN && html`<p class="soft">and ${order.length - SHOWN} more</p>`}`
      : html`<${Empty} title="Nobody has subscribed">A notice is kept for those who have.<//>`}
  <//>`;
}
