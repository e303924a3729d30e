// One request of the API, sent from its page: what it needs, and the answer as it came.
import { filled } from "./catalogue.js";
import { cell, useCell } from "./cell.js";
import { asCurl, Copy } from "./copying.js";
import { Dialog } from "./dialog.js";
import { Field } from "./fields.js";
import { indented, octets, visible, visibleLines } from "./format.js";
import { fieldOf, isSecret, resolved, valueOf } from "./schema.js";
import { ask, Away, offerLogin, open } from "./service.js";
import { Failed, Loading } from "./states.js";
import { Text } from "./text.js";
import { Facts } from "./tiles.js";
import { html, useEffect, useMemo, useRef, useState } from "./ui.js";

const MOST = 256 * 1024;
const LONGEST_LINE = 4_000;
const REPAINT = 150;

let loading = null;

async function operationOf(id) {
  loading ??= ask("GET", "/v1/openapi.json");
  loading.catch(() => { loading = null; });
  const document = await loading;
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, told] of Object.entries(methods))
      if (told.operationId === id) return { path, method: method.toUpperCase(), told, document };
  throw new Error("The service runs in another version now: reload this page.");
}

export function Trial({ id }) {
  const [found, set] = useState(null);
  useEffect(() => { operationOf(id).then(set, (error) => set({ error })); }, [id]);
  if (!found) return html`<${Loading} />`;
  return found.error ? html`<${Failed} error=${found.error} />` : html`<${Form} ...${found} />`;
}

function Form({ path, method, told, document }) {
  const parameters = useMemo(() => parametersOf(document, told), [told]);
  const bodies = useMemo(() => bodiesOf(document, told), [told]);
  const [drafts, setDrafts] = useState(() => Object.fromEntries(parameters.map((one) => [one.path, one.first])));
  const [chosen, choose] = useState(0);
  const [text, setText] = useState(bodies[0]?.text);
  const [faults, setFaults] = useState({});
  const [answer, setAnswer] = useState(null);
  const running = useRef(null);
  useEffect(() => () => running.current?.abort(), []);
  const request = requestOf(method, path, parameters, drafts, text, bodies[chosen]?.media);
  const destroys = told["x-destroys"] || method === "DELETE";
  const busy = Boolean(answer?.running);

  const submit = async (event) => {
    event.preventDefault();
    const missing = parameters.filter((one) => one.in === "path" && !drafts[one.path]);
    setFaults(Object.fromEntries(missing.map((one) => [one.path, "The path needs it."])));
    if (missing.length || busy) return;
    if (destroys && !(await isSure(told.summary, request))) return;
    running.current = new AbortController();
    await carryOut(request, running.current, setAnswer);
  };
  const pick = (at) => {
    choose(at);
    setText(bodies[at].text);
  };

  return html`<form class="trial" onSubmit=${submit} novalidate aria-label=${told.summary}>
    ${parameters.length > 0 && html`<div class="members many">${parameters.map((one) => html`<${Field} key=${one.path} field=${one.field} draft=${drafts[one.path]}
      path=${one.path} faults=${faults} onDraft=${(value) => setDrafts({ ...drafts, [one.path]: value })} />`)}</div>`}
    ${bodies.length > 0 && html`<div class="field">
      <div class="pick"><label for=${`body-${told.operationId}`}>Body</label>
        ${bodies.length > 1 ? html`<select aria-label="Example" value=${chosen} onChange=${(event) => pick(Number(event.target.value))}>
          ${bodies.map((one, at) => html`<option value=${at}>${one.title}</option>`)}</select>` : html`<code>${bodies[0].media}</code>`}</div>
      <textarea id=${`body-${told.operationId}`} spellcheck=${false} rows=${Math.min(16, Math.max(4, text.split("\n").length + 1))} value=${text}
        onInput=${(event) => setText(event.target.value)}></textarea>
    </div>`}
    <footer>
      <span class="left"><${Copy} what="curl" text=${asCurl({ ...request, text: unsecret(request.text) })} /></span>
      ${busy && html`<button type="button" onClick=${() => running.current.abort()}>Stop</button>`}
      <button class=${destroys ? "danger" : "primary"} disabled=${busy}>${destroys ? "Send…" : "Send"}</button>
    </footer>
    ${answer && html`<${Answer} ...${answer} />`}
  </form>`;
}

// The fields of parameters, each with what it begins with; the path of a field is its id in the page.
const parametersOf = (document, told) => (told.parameters ?? []).map((one) => {
  const field = fieldOf(document, { ...one.schema, description: unencoded(one.description) }, { name: one.name, required: one.required });
  const [example = one.schema.default] = one.schema.examples ?? [];
  const first = one.required && example !== undefined ? String(example) : undefined;
  return { name: one.name, in: one.in, path: `${told.operationId}-${one.name}`, first, field: { ...field, label: one.name, required: one.in === "path" } };
});

// This page encodes names itself.
const unencoded = (text) => text?.replace(/percent-encoded(; )?/, "").replace(" ()", "");

// What can be sent: [{media, title, text}], one for each example.
function bodiesOf(document, told) {
  return Object.entries(told.requestBody?.content ?? {}).flatMap(([media, content]) => {
    const named = Object.entries(content.examples ?? {}).map(([name, one]) => ({ name, value: one.value }));
    const [plain] = "example" in content ? [content.example] : resolved(document, content.schema ?? {}).examples ?? [];
    const examples = named.length ? named : [{ name: "", value: plain }];
    return examples.map(({ name, value }) => ({
      media, title: name ? `${media}: ${name}` : media,
      text: value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 2),
    }));
  });
}

function requestOf(method, path, parameters, drafts, text, media) {
  const at = {}, query = new URLSearchParams(), headers = {};
  for (const one of parameters) {
    const value = one.in === "path" ? drafts[one.path] ?? "" : valueOf(one.field, drafts[one.path]);
    if (one.in === "path") at[one.name] = value;
    else if (value !== undefined && one.in === "query") [value].flat().forEach((each) => query.append(one.name, each));
    else if (value !== undefined) headers[one.name] = String(value);
  }
  if (media) headers["Content-Type"] = media;
  const rest = query.toString();
  return { method, path: filled(path, at) + (rest && `?${rest}`), headers, text: media && text };
}

// Sends a request, and shows what has come of the answer until it is complete, too long, or given up.
async function carryOut({ method, path, headers, text }, given, show) {
  const start = performance.now();
  const shown = { running: true, text: "", took: null };
  const tell = () => show({ ...shown, took: performance.now() - start });
  const timer = setInterval(tell, REPAINT);
  tell();
  try {
    const answer = await open(method, path, { headers, body: text, signal: given.signal });
    Object.assign(shown, { status: answer.status, words: answer.statusText, headers: [...answer.headers] });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader?.read(); part && !part.done; part = await reader.read()) {
      shown.text += part.value;
      if (shown.text.length <= MOST) continue;
      shown.end = `What follows the first ${octets(MOST)} is not shown.`;
      given.abort();
      break;
    }
  } catch (error) {
    if (given.signal.aborted) shown.end = "Stopped.";
    else shown.error = error instanceof Away ? `The service does not answer${method === "GET" ? "" : "; it may have done this or not"}.` : error.message;
  } finally {
    clearInterval(timer);
    shown.running = false;
    tell();
  }
}

function Answer({ running, status, words, headers, text, took, end, error }) {
  const type = headers?.find(([name]) => name === "content-type")?.[1] ?? "";
  const shown = useMemo(() => visibleLines(/[/+]json/.test(type) && !running && !end ? indented(text) : text, LONGEST_LINE), [text, type, running, end]);
  return html`<section class="answer" aria-label="Answer" aria-live="polite">
    <header>
      ${status ? html`<b class=${status < 400 ? "good" : "bad"}>${status} ${words}</b>` : html`<b>${running ? "Waiting for the answer…" : "No answer"}</b>`}
      <span class="soft">${Math.round(took)} ms</span>
      ${status && html`<span class="soft">${octets(new Blob([text]).size)}${running ? " so far" : ""}</span> <span class="soft">${visible(type)}</span>`}
      ${status === 401 && html`<button type="button" class="small" onClick=${offerLogin}>Log in…</button>`}
    </header>
    ${error && html`<p class="problem" role="alert">${visible(error, 400)}</p>`}
    ${headers && html`<details><summary>Headers</summary><${Facts} facts=${headers.map(([name, value]) => [name, html`<${Text} text=${value} most=${1000} />`])} /></details>`}
    ${shown && html`<pre tabindex="0">${shown}</pre>`}
    ${end && html`<p class="soft">${end}</p>`}
  </section>`;
}

// Passwords are in no line that is copied.
const unsecret = (text) => text?.replace(/"([^"\\]*)"(\s*:\s*)"(?:[^"\\]|\\.)*"/g, (all, name, colon) => (isSecret(name) ? `"${name}"${colon}"…"` : all));

// What destroys something is asked for again.
const asked = cell(null);

const isSure = (summary, { method, path }) => new Promise((resolve) => asked.set({ summary, method, path, resolve }));

export function Sure() {
  const shown = useCell(asked);
  if (!shown) return null;
  const answer = (sure) => {
    asked.set(null);
    shown.resolve(sure);
  };
  return html`<${Dialog} title=${`${shown.summary}?`} onClose=${() => answer(false)} alert>
    <form onSubmit=${(event) => { event.preventDefault(); answer(true); }}>
      <p>This request destroys something, at this service and for everybody:</p>
      <p><code>${shown.method} ${visible(shown.path, 300)}</code></p>
      <footer><button type="button" autofocus onClick=${() => answer(false)}>Cancel</button><button class="danger">Send it</button></footer>
    </form>
  <//>`;
}
