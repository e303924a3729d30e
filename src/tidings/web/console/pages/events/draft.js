// An event as it is typed: texts, until it is sent. Pure: no page, no service.
import { Mistyped, valueOf } from "../../lib/schema.js";
import { AUTO, readValue, WHOLE, written } from "../../lib/values.js";

const RELIABILITIES = ["BestEffort", "Persistent"];
const STANDARD = { Priority: String, Timeout: String, EventReliability: (number) => RELIABILITIES[number] };

export const emptyRow = () => ({ name: "", type: AUTO, text: "" });
export const emptyDraft = () => ({ domain: "", type: "", name: "", standard: {}, header: [], data: [emptyRow()], body: "", bodyType: AUTO });

// The event of a draft; `standard` has the fields of the standard's header properties.
export function eventOf(draft, standard) {
  const own = Object.fromEntries(standard.map((field) => [field.name, valueOf(field, draft.standard[field.name], `header.${field.name}`)])
    .filter(([, value]) => value !== undefined));
  const header = { ...own, ...valuesOf(draft.header, "header", own) };
  const data = valuesOf(draft.data, "data");
  return {
    domain: draft.domain, type: draft.type,
    ...(draft.name ? { name: draft.name } : {}),
    ...(Object.keys(header).length ? { header } : {}),
    ...(Object.keys(data).length ? { data } : {}),
    ...(draft.body ? { body: readValue(draft.bodyType, draft.body, "body") } : {}),
  };
}

function valuesOf(rows, where, taken = {}) {
  const found = {};
  for (const { name, type, text } of rows) {
    if (!name && !text) continue;
    const path = `${where}.${name}`;
    if (!name) throw new Mistyped(path, "This value needs a name.");
    if (Object.hasOwn(found, name) || Object.hasOwn(taken, name)) throw new Mistyped(path, "There are two values with this name.");
    Object.defineProperty(found, name, { value: readValue(type, text, path), enumerable: true });
  }
  return found;
}

// The draft of an event that was published before.
export function draftOfEvent(event) {
  const header = Object.entries(event.header ?? {});
  const standard = ([name, value]) => Object.hasOwn(STANDARD, name) && STANDARD[name](value?.value ?? value);
  const isPlain = (one) => WHOLE.test(one[1]?.value ?? one[1]) && standard(one);
  const [bodyType, body] = event.body === undefined || event.body === null ? [AUTO, ""] : written(event.body);
  return {
    domain: event.domain, type: event.type, name: event.name ?? "", body, bodyType,
    standard: Object.fromEntries(header.filter(isPlain).map((one) => [one[0], standard(one)])),
    header: header.filter((one) => !isPlain(one)).map(rowOf),
    data: [...Object.entries(event.data ?? {}).map(rowOf), emptyRow()],
  };
}

function rowOf([name, value]) {
  const [type, text] = written(value);
  return { name, type, text };
}
