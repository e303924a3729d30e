// The properties of an offer as fields, by what the service type declares. Pure: no page, no service.
import { AUTO, readValue, TYPES, written } from "../../lib/values.js";
import { isMandatory, isReadonly, modeText, typeText } from "./types.js";

// A field for each declared property, and one for others; of an offer that is changed, `values` are those it has: a
// readonly property that is there is no field.
export const membersOf = (properties, values = {}) => [
  ...properties.filter((one) => !(isReadonly(one) && one.name in values)).map(fieldOf),
  ...Object.entries(values).filter(([name]) => !properties.some((one) => one.name === name)).map(undeclared),
  OTHERS,
];

// What is emptied is deleted, what is untouched is not in it. `first` is the draft that the form began with.
export const changedOf = (given, draft, first) => ({
  delete: Object.keys(first).filter((name) => isTyped(first[name]) && !isTyped(draft[name])),
  properties: Object.fromEntries(Object.entries(given).filter(([name]) => !(name in first) || draft[name] !== first[name])),
});

const isTyped = (draft) => draft !== undefined && draft !== "";

function fieldOf(property) {
  const { name, value_type: type } = property;
  const common = { name, label: name, required: isMandatory(property), text: [modeText(property), typeText(type)].filter(Boolean).join(" ") };
  if (type === "boolean") return { ...common, kind: "flag" };
  return { ...common, kind: "value", text: `${common.text}${hintOf(type)}`, read: (text, path) => readAs(type, text, path), write: writtenText };
}

const TEXTS = ["string", "wstring"];
const isNumber = (type) => typeof type === "string" && type in TYPES;
const hintOf = (type) => (isNumber(type) || TEXTS.includes(type) ? "" : `, as JSON${/string>$/.test(type) ? ', such as ["a", "b"]' : ""}`);

function readAs(type, text, path) {
  if (type === "string") return text;
  if (type === "wstring") return { $type: type, value: text };
  if (isNumber(type)) return readValue(type, text, path);
  const value = readValue("json", text, path);
  return value?.$type ? value : { $type: type, value };
}

const undeclared = ([name, value]) => ({
  kind: "value", name, label: name, text: "not declared by the type", read: (text, path) => readValue(written(value)[0], text, path), write: writtenText,
});

function writtenText(value) {
  const plain = typeof value?.$type === "string" ? value.value : value;
  return typeof plain === "string" ? plain : written(plain)[1];
}

const OTHERS = {
  kind: "map", name: "", spread: true, label: "Other properties", text: "Properties that the type does not declare.", keyLabel: "Name",
  item: { kind: "value", label: "", text: "", read: (text, path) => readValue(AUTO, text, path), write: writtenText },
};
