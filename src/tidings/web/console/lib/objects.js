// The kinds of objects: their keys in addresses, their places, and what can be done with them.
import { act } from "./actions.js";
import { catalogue } from "./catalogue.js";
import { openMenu } from "./menu.js";
import { named } from "./text.js";

// {kind, at}: the kind of an object and the parameters of its path.
export const keyOf = ({ kind, at }) => [kind, at.channel, ...(kind === "admin" ? [at.side, at.admin] : []), ...(kind === "proxy" ? [at.proxy] : [])]
  .filter((one) => one !== undefined).join("-");

export function placeOf(key) {
  const [kind, channel, ...rest] = (key ?? "").split("-");
  const number = (text) => (/^\d+$/.test(text ?? "") ? Number(text) : undefined);
  if (kind === "channel" && number(channel)) return { kind, at: { channel: number(channel) } };
  if (kind === "admin" && number(rest[1]) !== undefined) return { kind, at: { channel: number(channel), side: rest[0], admin: number(rest[1]) } };
  if (kind === "proxy" && number(rest[0])) return { kind, at: { channel: number(channel), proxy: number(rest[0]) } };
  return { kind: "service", at: {} };
}

// How an object is called in titles and messages.
export function called({ kind, at, name }) {
  if (kind === "service") return "the service";
  if (kind === "admin") return `${at.side} admin ${at.admin}`;
  return named(kind, at[kind], name);
}

const NEVER_WHEN = { suspended: "suspend", connected: "resume", "not connected": "resume", away: "resume" };

// Opens the menu of everything that the catalogue can do with an object; `side` tells two operations apart.
export async function openObjectMenu(place, object) {
  const all = (await catalogue()).of(object.kind).filter((one) => !one.side || one.side === object.side)
    .filter((one) => one.name !== NEVER_WHEN[object.state]);
  const what = object.kind === "service" ? "" : called(object);
  const item = (one) => ({ text: `${one.summary}…`, bad: one.destroys, act: () => act(one.name, { at: { ...object.at, ...(object.side ? { side: object.side } : {}) }, what }) });
  const groups = [
    all.filter((one) => one.tag !== "events" && !one.destroys),
    all.filter((one) => one.tag === "events"),
    all.filter((one) => one.destroys),
  ].filter((group) => group.length);
  openMenu(place, groups.flatMap((group, at) => [...(at ? [null] : []), ...group.map(item)]), `What can be done with ${called(object)}`);
}
