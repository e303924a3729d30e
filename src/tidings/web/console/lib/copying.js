// A request as a line for curl or for `tidings call`, without secrets.
import { needsToken } from "./service.js";
import { toast } from "./toasts.js";
import { html } from "./ui.js";

export const quoted = (text) => (/^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

export function asCurl({ method, path, body }) {
  const parts = ["curl"];
  if (method !== "GET") parts.push("-X", method);
  if (needsToken()) parts.push("-H", '"Authorization: Bearer $TIDINGS_TOKEN"');
  if (body !== undefined) parts.push("-H", "'Content-Type: application/json'", "-d", quoted(JSON.stringify(body)));
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
