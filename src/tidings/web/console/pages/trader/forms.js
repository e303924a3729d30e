// The dialogs for offers: a field for each property that the service type declares.
import { act } from "../../lib/actions.js";
import { AUTO, readValue, TYPES, written } from "../../lib/values.js";
import { isMandatory, isReadonly, modeText, typeText } from "./types.js";

export const exportOffer = (type, properties) => act("export_offer", {
  what: type, values: { type },
  shape: (body) => withProperties(body, [...properties.map(fieldOf), OTHERS]),
});

// What is emptied is deleted, what is untouched is not sent; a readonly property that is there is no field.
export const changeOffer = (offer, properties) => act("modify_offer", {
  at: { offer: offer.id }, what: offer.id,
  shape: (body) => withProperties(body, [
    ...properties.filter((one) => !(isReadonly(one) && one.name in offer.properties)).map(fieldOf),
    ...Object.keys(offer.properties).filter((name) => !properties.some((one) => one.name === name)).map((name) => undeclared(name)),
    OTHERS,
  ]),
  fit: ({ properties: given = {} }, draft, first) => ({
    delete: Object.keys(first.properties).filter((name) => isTyped(first.properties[name]) && !isTyped(draft.properties[name])),
    properties: Object.fromEntries(Object.entries(given).filter(([name]) => !(name in first.properties) || draft.properties[name] !== first.properties[name])),
  }),
});

const isTyped = (draft) => draft !== undefined && draft !== "";

const withProperties = (body, members) => ({
  ...body,
  members: [...body.members.filter((one) => !["properties", "delete"].includes(one.name)),
    { kind: "object", name: "properties", label: "Properties", text: "", required: true, isOpen: true, members }],
});

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

const undeclared = (name) => ({ kind: "value", name, label: name, text: "not declared by the type", read: (text, path) => readValue(AUTO, text, path), write: writtenText });

function writtenText(value) {
  const plain = typeof value?.$type === "string" ? value.value : value;
  return typeof plain === "string" ? plain : written(plain)[1];
}

const OTHERS = {
  kind: "map", name: "", spread: true, label: "Other properties", text: "Properties that the type does not declare.", keyLabel: "Name",
  item: { kind: "value", label: "", text: "", read: (text, path) => readValue(AUTO, text, path), write: writtenText },
};
