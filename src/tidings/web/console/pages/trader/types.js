// Service types as a tree, and what a type has with all it inherits. Pure.

// [{type, depth, also}]: each type once, below its first super type; `also` are the others.
export function rowsOf(types) {
  const names = new Set(types.map((one) => one.name)), below = new Map();
  for (const type of [...types].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const place = names.has(type.super_types[0]) ? type.super_types[0] : "";
    below.set(place, [...(below.get(place) ?? []), type]);
  }
  const rows = [], waiting = [...(below.get("") ?? [])].reverse().map((type) => [type, 0]);
  while (waiting.length) {
    const [type, depth] = waiting.pop();
    rows.push({ type, depth, also: type.super_types.slice(1) });
    waiting.push(...[...(below.get(type.name) ?? [])].reverse().map((one) => [one, depth + 1]));
  }
  return rows;
}

const READONLY = 1, MANDATORY = 2;
const BITS = { normal: 0, readonly: READONLY, mandatory: MANDATORY, mandatory_readonly: MANDATORY | READONLY };
const wordOf = (bits) => Object.keys(BITS).find((one) => BITS[one] === bits);

// The properties of a type, its own first: [{name, value_type, mode, from}]; `from` is the type that declares it. A mode is
// the strongest of all declarations.
export function propertiesOf(types, name) {
  const byName = new Map(types.map((one) => [one.name, one])), found = new Map();
  for (const type of lineOf(byName, name))
    for (const one of type.properties) {
      const before = found.get(one.name);
      found.set(one.name, before ? { ...before, mode: wordOf(BITS[before.mode] | BITS[one.mode]) } : { ...one, from: type.name });
    }
  return [...found.values()];
}

function lineOf(byName, name) {
  const line = new Set([byName.get(name)]);
  for (const type of line) for (const above of type.super_types) line.add(byName.get(above));
  return line;
}

export const subtypesOf = (types, name) => types.filter((one) => one.super_types.includes(name)).map((one) => one.name);

// A type of values, as IDL writes it.
export const typeText = (type) => (typeof type === "string" ? type : type?.name ?? type?.id ?? JSON.stringify(type));

export const isReadonly = ({ mode }) => Boolean(BITS[mode] & READONLY);
export const isMandatory = ({ mode }) => Boolean(BITS[mode] & MANDATORY);
export const modeText = ({ mode }) => (mode === "normal" ? "" : mode.replace("_", " "));
