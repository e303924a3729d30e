// Numbers, times and texts as people read them.
import { now } from "./clock.js";

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const MISSING = "–";

const isNumber = (n) => typeof n === "number" && Number.isFinite(n);

export const count = (n) => (isNumber(n) ? whole.format(n) : MISSING);

export const compact = (n) => (isNumber(n) ? (Math.abs(n) < 100_000 ? whole.format(n) : short.format(n)) : MISSING);

export function rate(n) {
  if (!isNumber(n)) return MISSING;
  if (n !== 0 && n < 0.1) return "< 0.1";
  return n < 10 ? String(Math.round(n * 10) / 10) : compact(Math.round(n));
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function octets(n) {
  if (!isNumber(n)) return MISSING;
  let unit = 0;
  for (; n >= 1024 && unit < UNITS.length - 1; unit++) n /= 1024;
  return `${unit && n < 100 ? n.toFixed(1) : Math.round(n)} ${UNITS[unit]}`;
}

export function seconds(n) {
  if (!isNumber(n)) return MISSING;
  if (n < 0.001) return n <= 0 ? "0 s" : "< 1 ms";
  if (n < 1) return `${Math.round(n * 1000)} ms`;
  if (n < 10) return `${n.toFixed(1)} s`;
  if (n < 120) return `${Math.round(n)} s`;
  if (n < 7200) return `${Math.round(n / 60)} min`;
  return n < 172_800 ? `${Math.round(n / 3600)} h` : `${Math.round(n / 86_400)} d`;
}

// A short while, given in microseconds.
export const milliseconds = (n) => `${(n / 1000).toFixed(1)} ms`;

const clockTime = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });

// A time of the service, in microseconds since 1970, in the viewer's zone; the date only if it is not today's.
export function time(microseconds) {
  if (!isNumber(microseconds) || microseconds <= 0) return MISSING;
  const date = new Date(microseconds / 1000);
  const today = new Date(now()).toDateString() === date.toDateString();
  return (today ? clockTime : dayAndTime).format(date);
}

export const fullTime = (microseconds) => (isNumber(microseconds) ? dayAndTime.format(new Date(microseconds / 1000)) : MISSING);

const UTC = "IDL:omg.org/TimeBase/UtcT:1.0", SINCE_1582 = 12_219_292_800_000_000;

// The microseconds since 1970 of a time in typed JSON, which counts tenths of them since 1582; undefined for what is none.
export function microsecondsOf(value) {
  if (value?.$type?.id !== UTC) return undefined;
  const { time: tenths } = value.value;
  return Number(tenths?.rawJSON ?? tenths) / 10 - SINCE_1582;
}

export const ago = (microseconds) => seconds(Math.max(0, now() - microseconds / 1000) / 1000);

// What nobody can see, or what turns the reading direction around, is shown as what it is.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const MOST = 200;
const LINES = /[\t\n\r]/g;

// Whether something in a text cannot be seen, beside its lines.
export const hasHidden = (text) => text.replace(LINES, "").search(HIDDEN) >= 0;

export function visible(text, most = MOST) {
  const told = String(text ?? "");
  const cut = told.length > most ? told.slice(0, most) : told;
  const shown = cut.replace(HIDDEN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return cut === told ? shown : `${shown}… (${whole.format(told.length)} characters)`;
}

// A text of several lines, each cut at `most` characters.
export const visibleLines = (text, most) => text.split("\n").map((line) => visible(line, most)).join("\n");

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

// JSON in lines; numbers stay as they were written, which may have more digits than ours.
export function indented(json) {
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  return json.replace(/"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g, (token) => {
    if (token.length > 1 && token[0] === '"') return token;
    if (/^\s/.test(token)) return "";
    if (token.length > 1) return token[0] + token.at(-1);
    if (token === "{" || token === "[") { depth++; return token + line(); }
    if (token === "}" || token === "]") { depth--; return line() + token; }
    return token === "," ? token + line() : ": ";
  });
}
