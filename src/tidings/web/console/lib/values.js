// One value as it is typed: a text, and how it is read; as typed JSON when it is sent. Pure.
import { isScalar, parseExact } from "./exact.js";
import { Mistyped } from "./schema.js";

export const AUTO = "auto";
export const WHOLE = /^-?(0|[1-9]\d*)$/;
const REAL = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const IDL = ["short", "long", "long long", "unsigned short", "unsigned long", "unsigned long long", "float", "double", "octet", "char"];

// How the text of a value is read: {id: words}
export const TYPES = { auto: "Automatic", text: "Text", json: "JSON", ...Object.fromEntries(IDL.map((one) => [one, one])) };

// A value as typed JSON; what is no value is a Mistyped with the path.
export function readValue(type, text, path) {
  if (type === "text") return text;
  if (type === "json") return readJson(text, path);
  if (type === AUTO) return automatic(text);
  if (type === "char") return { $type: type, value: text };
  if (!REAL.test(text.trim())) throw new Mistyped(path, `This is not a number, as a ${type} is.`);
  return { $type: type, value: parseExact(text) };
}

// As on the command line: numbers, true and false are what they look like.
function automatic(text) {
  const word = text.trim();
  if (word === "true" || word === "false") return word === "true";
  if (WHOLE.test(word)) return parseExact(word);
  if (!REAL.test(word)) return text;
  return Number.isInteger(Number(word)) ? { $type: "double", value: Number(word) } : Number(word); // JSON has no 2.0
}

function readJson(text, path) {
  try {
    return parseExact(text);
  } catch (error) {
    throw new Mistyped(path, `This is not JSON: ${error.message}`);
  }
}

// How a value is read, and its text.
export function written(value) {
  if (typeof value === "string") return [automatic(value) === value ? AUTO : "text", value];
  if (IDL.includes(value?.$type) && isScalar(value.value)) return [value.$type, typeof value.value === "string" ? value.value : JSON.stringify(value.value)];
  return isScalar(value) && value !== null ? [AUTO, JSON.stringify(value)] : ["json", JSON.stringify(value)];
}
