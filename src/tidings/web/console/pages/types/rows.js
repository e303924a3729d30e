// Event types of a channel with who offers and who wants them. Pure.
//
// A type of one side meets one of the other if some event could be of both: `Traffic::*` is offered by whoever offers
// `Traffic::Car`.

// [{text, state, offers: [{kind, id}], wants}], those that only one side has first
export function rowsOf({ offered, wanted, offers, wants }) {
  const offering = byType(Object.entries(offers).map(([who, types]) => [placeOf(who), types]));
  const wanting = byType(Object.entries(wants).map(([id, types]) => [{ kind: "proxy", id: Number(id) }, types]));
  const all = new Map([...offered, ...wanted].map((one) => [textOf(one), one]));
  const isOffered = new Set(offered.map(textOf));
  return [...all].map(([text, type]) => row(text, type, isOffered.has(text), offering, wanting))
    .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || a.text.localeCompare(b.text));
}

const ORDER = ["unoffered", "unwanted", "both"];

function row(text, type, isOffered, offering, wanting) {
  const offers = meeting(offering, type), wants = meeting(wanting, type);
  const state = offers.length && wants.length ? "both" : isOffered ? "unwanted" : "unoffered";
  return { text, state, offers, wants };
}

const placeOf = (who) => ({ kind: who.split(" ")[0], id: Number(who.split(" ")[1]) });

// Each type once, with all that name it: very many consumers want the same.
function byType(owners) {
  const found = new Map();
  for (const [who, types] of owners)
    for (const type of types) {
      const text = textOf(type);
      if (!found.has(text)) found.set(text, { type: parted(type), who: [] });
      found.get(text).who.push(who);
    }
  return [...found.values()];
}

function meeting(named, type) {
  const wanted = parted(type), found = new Map();
  for (const one of named)
    if (overlap(one.type, wanted)) for (const who of one.who) found.set(`${who.kind} ${who.id}`, who);
  return [...found.values()].sort((a, b) => a.id - b.id);
}

function parted(type) {
  if (typeof type !== "string") return type;
  const at = type.indexOf("::");
  return at < 0 ? { domain: "*", type } : { domain: type.slice(0, at), type: type.slice(at + 2) };
}

const isAny = (text) => text === "" || text === "*" || text === "%ALL";

export function textOf(type) {
  const told = parted(type);
  return isAny(told.domain) && isAny(told.type) ? "all types" : `${told.domain || "*"}::${told.type || "*"}`;
}

export const overlap = (one, two) => meet(one.domain, two.domain) && meet(one.type, two.type);

// Whether some text fits both patterns, as the service decides it.
function meet(one, two) {
  if (isAny(one) || isAny(two)) return true;
  if (!one.includes("*")) return fits(two, one);
  if (!two.includes("*")) return fits(one, two);
  const [first, second] = [one, two].map((text) => [text.slice(0, text.indexOf("*")), text.slice(text.lastIndexOf("*") + 1)]);
  const [start, end] = first, [otherStart, otherEnd] = second;
  return (start.startsWith(otherStart) || otherStart.startsWith(start)) && (end.endsWith(otherEnd) || otherEnd.endsWith(end));
}

function fits(pattern, text) {
  if (!pattern.includes("*")) return pattern === text;
  const parts = pattern.split("*"), first = parts[0], last = parts.at(-1);
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}
