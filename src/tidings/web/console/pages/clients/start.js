// The dialog that starts a test client: its channel, what it wants or offers, and how it answers.
import { catalogue, filled } from "../../lib/catalogue.js";
import { asCall, asCurl, quoted } from "../../lib/copying.js";
import { Dialog } from "../../lib/dialog.js";
import { Body } from "../../lib/fields.js";
import { count } from "../../lib/format.js";
import { tellChanged } from "../../lib/live.js";
import { note } from "../../lib/log.js";
import { outlineLoader } from "../../lib/outline.js";
import { faultsOf, Mistyped, valueOf } from "../../lib/schema.js";
import { ask, Away, Problem } from "../../lib/service.js";
import { Failed, Loading } from "../../lib/states.js";
import { html, useEffect, useRef, useState } from "../../lib/ui.js";
import { add } from "./client.js";
import { KEPT_BY_HAND, PullConsumer, PushConsumer } from "./consumer.js";
import { Supplier } from "./supplier.js";

const MOST_LISTED = 500;
const AUTOMATIC = "automatically", BY_HAND = "by hand";
const WINDOW = { [AUTOMATIC]: 1_000, [BY_HAND]: KEPT_BY_HAND / 2 };
const MOST_WINDOW = { [AUTOMATIC]: 10_000, [BY_HAND]: KEPT_BY_HAND }; // what waits for an answer by hand is shown

export const KINDS = {
  push: { kind: "Push consumer", side: "consumer", style: "push", Client: PushConsumer,
    about: "The service sends it events over a WebSocket.", members: ["constraints", "types", "form", "qos"] },
  pull: { kind: "Pull consumer", side: "consumer", style: "pull", Client: PullConsumer,
    about: "It asks for events when you say so.", members: ["constraints", "types", "qos"] },
  supplier: { kind: "Supplier", side: "supplier", style: "push", Client: Supplier,
    about: "It publishes events over a WebSocket.", members: ["types", "constraints", "qos"] },
};

export function Start({ id, onClose }) {
  const [ready, setReady] = useState(null);
  const kind = KINDS[id];
  useEffect(() => { prepared(kind).then(setReady, (error) => setReady({ error })); }, [kind]);
  return html`<${Dialog} title=${`Start a ${kind.kind.toLowerCase()}`} onClose=${onClose} wide>
    ${!ready ? html`<${Loading} />` : ready.error ? html`<${Failed} error=${ready.error} />` : html`<${Form} kind=${kind} ...${ready} onClose=${onClose} />`}
  <//>`;
}

async function prepared(kind) {
  const operation = (await catalogue()).find("obtain_proxy");
  const { channels } = await outlineLoader({ inside: false })();
  const names = channels.id.map((id, row) => channels.name[row] || String(id));
  const form = formOf(kind, operation, names);
  return { form, operation, first: { channel: names[0] } };
}

const own = (name, label, text, more) => ({ name, label, text, required: false, nullable: false, secret: false, ...more });

function formOf(kind, operation, names) {
  const consumer = kind.side === "consumer";
  const of = (name) => operation.body.members.find((one) => one.name === name);
  return { kind: "object", required: true, members: [
    own("channel", "Channel", "", { kind: names.length > MOST_LISTED ? "text" : "choice", words: names, required: true }),
    own("name", "Name", `With a name it stays at the service when this client is closed${consumer ? ", and events wait for it" : ""}. One that is there is resumed.`, { kind: "text", most: of("name").most }),
    ...(consumer ? [own("acknowledge", "Acknowledge", "", { kind: "choice", words: [BY_HAND], default: AUTOMATIC })] : []),
    ...(consumer && kind.style === "push" ? [own("window", "Window", `How many events may be unanswered; ${count(WINDOW[AUTOMATIC])}, or ${WINDOW[BY_HAND]} by hand, if you leave it empty.`, { kind: "whole" })] : []),
    ...kind.members.map(of),
  ] };
}

function Form({ kind, form, operation, first, onClose }) {
  const [draft, setDraft] = useState(first);
  const [faults, setFaults] = useState({ fields: {}, rest: "" });
  const [busy, setBusy] = useState(false);
  const element = useRef();
  useEffect(() => element.current?.querySelector("[aria-invalid=true]")?.focus(), [faults]);
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setFaults({ fields: {}, rest: "" });
    try {
      await start(kind, operation, valueOf(form, draft));
      onClose();
    } catch (error) {
      setFaults(error instanceof Mistyped ? { fields: { [error.path]: error.message }, rest: "" } : faultsOf(error.told ?? {}, error.message, form, draft));
      if (!(error instanceof Problem || error instanceof Away || error instanceof Mistyped)) console.error(error);
    } finally {
      setBusy(false);
    }
  };
  return html`<form ref=${element} onSubmit=${submit} novalidate>
    <p class="soft">${kind.about} It goes on while you look at other pages, and stops with this tab.</p>
    <${Body} field=${form} draft=${draft} onDraft=${setDraft} faults=${faults.fields} />
    ${faults.rest && html`<p class="problem" role="alert">${faults.rest}</p>`}
    <footer><button type="button" onClick=${onClose}>Cancel</button><button class="primary" disabled=${busy}>Start</button></footer>
  </form>`;
}

async function start(kind, operation, { channel: at, acknowledge = AUTOMATIC, window = WINDOW[acknowledge], ...wanted }) {
  if (!at) throw new Mistyped("channel", "Choose a channel.");
  const most = MOST_WINDOW[acknowledge];
  if (!(window >= 1 && window <= most)) throw new Mistyped("window", `It is a number from 1 to ${count(most)}, if events are acknowledged ${acknowledge}.`);
  const channel = await ask("GET", filled("/v1/channels/{channel}", { channel: at }));
  const request = { side: kind.side, style: kind.style, ...wanted };
  const proxy = await made(kind, operation, channel, request);
  add(new kind.Client({ kind: kind.kind, channel, proxy, request, automatic: acknowledge === AUTOMATIC, window }));
  tellChanged();
}

async function made(kind, operation, channel, request) {
  const path = filled(operation.path, { channel: channel.id });
  const line = { what: `Start: ${kind.kind.toLowerCase()} of channel ${channel.name || channel.id}`, curl: asCurl({ method: "POST", path, body: request }), call: commandOf(kind, channel, request) };
  try {
    const proxy = await ask("POST", path, request);
    note({ ...line, result: "Done", ok: true });
    return proxy;
  } catch (error) {
    if (error.code === "name_taken") return resumed(kind, channel, request);
    note({ ...line, result: error.message, ok: false });
    throw error;
  }
}

// The proxy that has this name already; it keeps its own settings.
async function resumed(kind, channel, { side, style, name, ...settings }) {
  const found = await ask("GET", filled("/v1/channels/{channel}/proxies/{name}", { channel: channel.id, name }));
  if (found.side !== side || found.style !== style)
    throw new Mistyped("name", `There is a ${found.style} ${found.side} of this name: take another one.`);
  if (Object.keys(settings).length)
    throw new Mistyped("name", "There is one of this name, with settings of its own: leave everything below empty to resume it, or take another name.");
  note({ what: `Resume: ${kind.kind.toLowerCase()} ${name}`, result: "Done", ok: true, curl: "", call: commandOf(kind, channel, { name }) });
  return found;
}

// The same on the command line: `tidings subscribe` where it can say everything.
function commandOf(kind, channel, request) {
  const { constraints = [], types = [], name, qos, form } = request;
  const texts = constraints.map((one) => one.text ?? "");
  if (kind.Client !== PushConsumer || qos || form || constraints.some((one) => one.types?.length))
    return asCall("obtain_proxy", { channel: channel.id, ...request });
  const either = texts.length > 1 ? texts.map((one) => `(${one})`).join(" or ") : texts[0];
  const options = [...types.flatMap((one) => ["--type", quoted(one)]), ...(name ? ["--name", quoted(name)] : [])];
  return ["tidings", "subscribe", quoted(String(channel.name || channel.id)), ...(either ? [quoted(either)] : []), ...options].join(" ");
}
