// A request as a line for curl or for `tidings call`, without secrets.
import { needsToken } from "./service.js";
import { toast } from "./toasts.js";
import { html } from "./ui.js";

export const quoted = (text) => (/^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

const JSON_BODY = { "Content-Type": "application/json" };

// Of a request with a body as a value, or as `text` that its `headers` say the type of.
export function asCurl({ method, path, body, text = JSON.stringify(body), headers = body === undefined ? {} : JSON_BODY }) {
  const parts = ["curl"];
  if (method !== "GET") parts.push("-X", method);
  if (needsToken()) parts.push("-H", '"Authorization: Bearer $TIDINGS_TOKEN"');
  for (const [name, value] of Object.entries(headers)) parts.push("-H", quoted(`${name}: ${value}`));
  if (text !== undefined) parts.push("-d", quoted(text));
  return [...parts, quoted(location.origin + path)].join(" ");
}

// Fields that `tidings call` would read as another type are written as JSON.
const isPlainText = (value) =>
  typeof value === "string" && !/^(true|false|-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?)$/.test(value);

export function asCall(operation, fields) {
  const told = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => quoted(isPlainText(value) ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`));
  return ["tidings", "call", operation, ...told].join(" ");
}

export const copyText = (text, what) => copy(text, `Copied as ${what}`, text);

async function copy(text, done, failed) {
  try {
    await navigator.clipboard.writeText(text);
    toast(done);
  } catch {
    toast(`The browser does not let this page copy: ${failed}`, { bad: true });
  }
}

// Of a secret, which is in no message.
export const CopySecret = ({ what, text }) => html`<button type="button" class="primary" autofocus
  onClick=${() => copy(text, `The ${what} is in the clipboard`, "select it and copy it")}>Copy the ${what}</button>`;

export const Copy = ({ what, text }) => html`<button type="button" class="small" disabled=${!text}
  onClick=${() => copyText(text, what)}>Copy as ${what}</button>`;
