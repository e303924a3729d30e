// JSON schemas of bodies as fields of forms, and what is typed there as values. Pure: no page, no
// service.
//
// A draft is what a form holds: texts as they were typed, undefined for what is left out.

export class Mistyped extends Error {
  constructor(path, message) {
    super(message);
    this.path = path;
  }
}

export function resolved(document, schema) {
  let found = schema;
  while (found.$ref) {
    const { $ref, ...rest } = found;
    found = { ...$ref.slice(2).split("/").reduce((part, name) => part[name], document), ...rest };
  }
  return found;
}

export const isSecret = (name) => /password|secret/.test(name);

// {name, kind, text, required, nullable, secret, default, …}; kind is one of text, code, name, whole,
// number, duration, time, moment, choice, flag, list, choices, map, object, json; a table is JSON
// whose members are free. A page may have fields of the kind value, which read and write their text, and a map that
// spreads its entries among the members of the object it is in.
export function fieldOf(document, schema, { name = "", required = false } = {}) {
  const whole = resolved(document, schema);
  const several = (whole.anyOf ?? whole.oneOf ?? [whole]).map((one) => resolved(document, one));
  const nullable = several.some((one) => one.type === "null");
  const parts = several.filter((one) => one.type !== "null");
  const common = {
    name, required, nullable, text: whole.description ?? "", default: whole.default,
    secret: isSecret(name) || whole.format === "password", label: labelOf(name),
  };
  const shape = shapeOf(document, parts, name);
  return { ...common, ...shape, ...(shape.kind === "moment" && { text: common.text.replace(", microseconds since 1970", "") }) };
}

function shapeOf(document, parts, name) {
  const words = parts.flatMap((one) => one.enum ?? (one.const !== undefined ? [one.const] : []));
  const types = parts.map((one) => one.type);
  const number = parts.find((one) => one.type === "integer" || one.type === "number");
  const range = number ? { low: number.minimum, high: number.maximum } : {};
  const [first = {}] = parts;
  if (words.length) return { kind: "choice", words };
  if (parts.some((one) => one.pattern?.includes("us|ms|s"))) return { kind: "duration" };
  if (parts.some((one) => one.format === "date-time")) return { kind: "time" };
  if (types.includes("integer") && types.includes("string")) return { kind: "name" };
  if (first.type === "boolean") return { kind: "flag" };
  if (number && name.endsWith("_at")) return { kind: "moment" };
  if (number) return { kind: number.type === "integer" ? "whole" : "number", ...range };
  if (first.type === "string") return { kind: name === "text" || name === "matching" ? "code" : "text", most: first.maxLength };
  if (first.type === "array") {
    const item = fieldOf(document, first.items ?? {}, { name: singular(name), required: true });
    return { kind: item.kind === "choice" ? "choices" : "list", item };
  }
  if (first.type === "object" && first.properties) return { kind: "object", members: membersOf(document, first) };
  if (first.type === "object" && typeof first.additionalProperties === "object")
    return { kind: "map", item: fieldOf(document, first.additionalProperties, { name: "value", required: true }) };
  return { kind: "json", isTable: first.type === "object" };
}

function membersOf(document, schema) {
  const required = schema.required ?? [];
  return Object.entries(schema.properties)
    .map(([name, part]) => fieldOf(document, part, { name, required: required.includes(name) }))
    .sort((a, b) => (b.name === "name") - (a.name === "name") || b.required - a.required);
}

const singular = (name) => name.replace(/ies$/, "y").replace(/s$/, "");

// Names of ours are words with underscores; the standard's are written as they are.
function labelOf(name) {
  if (name === "qos") return "Quality of service";
  if (/[A-Z]/.test(name)) return name;
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// From a value, as the service tells it, to a draft.
export function draftOf(field, value) {
  if (value === undefined || value === null) return undefined;
  switch (field.kind) {
    case "flag": return Boolean(value);
    case "moment": return localTime(value / 1000);
    case "value": return field.write(value);
    case "choices": return Array.isArray(value) ? value : undefined;
    case "list": return Array.isArray(value) ? value.map((one) => draftOf(field.item, one)) : undefined;
    case "map": return Object.entries(value).map(([key, one]) => ({ key, value: draftOf(field.item, one) }));
    case "object": return typeof value === "object"
      ? Object.fromEntries(field.members.map((one) => [one.name, draftOf(one, value[one.name])])) : draftOfText(field, value);
    case "json": return field.isTable && !field.required && !Object.keys(value).length ? undefined : JSON.stringify(value, null, 2);
    default: return String(value);
  }
}

// As the field for a moment has it: in the viewer's zone, to the minute.
const localTime = (milliseconds) => new Date(milliseconds - new Date(milliseconds).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

// A constraint may come as its text alone.
const draftOfText = (field, value) => ({ [field.members[0].name]: String(value) });

// From a draft to a value; undefined for what is left out. The service checks what it means.
export function valueOf(field, draft, path = "") {
  if (isBlank(draft)) return blankOf(field);
  switch (field.kind) {
    case "flag": return draft === "null" ? null : draft === true || draft === "true";
    case "whole": case "name": return /^-?\d+$/.test(draft.trim()) && Number.isSafeInteger(Number(draft)) ? Number(draft) : draft;
    case "number": return draft.trim() !== "" && Number.isFinite(Number(draft)) ? Number(draft) : draft;
    case "duration": return /^\d+$/.test(draft.trim()) ? Number(draft) : draft.trim();
    case "moment": return new Date(draft).getTime() * 1000;
    case "choices": return draft;
    case "list": return draft.map((one, at) => valueOf(field.item, one, `${path}[${at}]`) ?? null);
    case "map": return Object.fromEntries(draft.map(({ key, value }) => [key, valueOf(field.item, value, `${path}[${key}]`)]));
    case "object": return objectOf(field, draft, path);
    case "json": return parsed(draft, path);
    case "value": return field.read(draft, path);
    default: return draft;
  }
}

const isBlank = (draft) => draft === undefined || draft === "" || (Array.isArray(draft) && !draft.length);

function blankOf(field) {
  if (["list", "choices"].includes(field.kind) && field.required) return [];
  if (field.kind === "object" && field.required) return {};
  if (field.nullable && field.required) return null;
  return field.required && field.kind === "text" ? "" : undefined;
}

function objectOf(field, draft, path) {
  const told = field.members
    .map((one) => [one, valueOf(one, draft[one.name], path ? `${path}.${one.name}` : one.name)])
    .filter(([, value]) => value !== undefined)
    .flatMap(([one, value]) => (one.spread ? Object.entries(value) : [[one.name, value]]));
  return told.length || field.required ? Object.fromEntries(told) : undefined;
}

function parsed(text, path) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Mistyped(path, `This is not JSON: ${error.message}`);
  }
}

export const same = (one, other) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
}

// What a problem says, by the path of the field it is about: {fields: {path: message}, rest: message}.
export function faultsOf(told, message, field, draft) {
  const fields = {};
  const short = (where) => String(where).replace(/^body\.?/, "").replace(/^path\./, "");
  for (const one of told.faults ?? []) if (short(one.where)) fields[short(one.where)] = one.message;
  for (const one of told.errors ?? []) {
    const path = field && pathOf(field, "", one.name);
    if (path !== undefined && path !== null) fields[path] = propertyFault(one);
  }
  const member = field && pathOfMember(told.members, field, draft);
  if (member) fields[member] = message;
  if (told.where) fields[short(told.where)] = message;
  if (typeof told.position === "number" && field) {
    const path = pathOfText(field, draft, "", told.text);
    if (path) fields[path] = constraintFault(told, message);
  }
  return { fields, rest: Object.keys(fields).length ? "" : message };
}

const CODES = {
  UNSUPPORTED_PROPERTY: "This service does not support it.",
  UNAVAILABLE_PROPERTY: "It cannot be set here beside the others.",
  BAD_PROPERTY: "There is no such property here.",
  BAD_TYPE: "The value has the wrong type.",
};

function propertyFault({ code, low, high }) {
  if (typeof low === "number") return `It must be from ${low} to ${high}.`;
  return CODES[code] ?? code;
}

export function constraintFault(told, message) {
  const line = told.text.split("\n")[(told.line ?? 1) - 1] ?? told.text;
  const caret = `${line}\n${" ".repeat(Math.max(0, (told.column ?? 1) - 1))}^`;
  return message.includes("^") ? message : `${message}\n${caret}`;
}

// Where the last of the standard's members of an error was typed, or the field that it names.
const pathOfMember = (members = {}, field, draft) => Object.values(members).reverse()
  .map((value) => value && (pathOfText(field, draft, "", value) || pathOf(field, "", value))).find(Boolean);

// Where the member of a name is, wherever it is nested.
function pathOf(field, path, name) {
  if (field.kind !== "object") return null;
  for (const one of field.members) {
    const here = path ? `${path}.${one.name}` : one.name;
    if (one.name === name) return here;
    const below = pathOf(one, here, name);
    if (below) return below;
  }
  return null;
}

// Where a text was typed: errors of constraints say the text and not the place.
function pathOfText(field, draft, path, text) {
  if (typeof draft === "string") return draft === text && path;
  if (!draft || typeof draft !== "object") return "";
  if (field.kind === "list")
    return draft.map((one, at) => pathOfText(field.item, one, `${path}[${at}]`, text)).find(Boolean);
  if (field.kind === "map")
    return draft.map(({ key, value }) => pathOfText(field.item, value, `${path}[${key}]`, text)).find(Boolean);
  return (field.members ?? []).map((one) =>
    pathOfText(one, draft[one.name], path ? `${path}.${one.name}` : one.name, text)).find(Boolean);
}
