// The federation as the gateways of this service tell it: a graph of services and gateways, with
// rates between two looks.
//
//   node  {id, type, name, system, kind, info, isOwn, isGone, links}   isOwn: a gateway of this service, or what one joins
//   link  {id, gateway, service, side, state, inward, outward}  rates: events of the service, and into it
import { filled } from "./catalogue.js";
import { ask, Problem } from "./service.js";

const LEAST = 1_000; // milliseconds between two looks that tell a rate

// How each state of a side is shown: its tone, and a sign for those who see no colours.
export const STATES = {
  up: { tone: "good", sign: "●" },
  degraded: { tone: "warn", sign: "◐" },
  connecting: { tone: "warn", sign: "○" },
  down: { tone: "bad", sign: "✕" },
  stopped: { tone: "soft", sign: "■" },
};

export const gatewayPath = (name, rest = "") => filled(`/v1/gateways/{gateway}${rest}`, { gateway: name });

export const idOf = (type, system, ...names) => [type, system, ...names].join("/");

// What is said of what another service runs.
export const afar = ({ isGone }) => (isGone ? "not reached" : "elsewhere");

// How a gateway is, in a word: {word, tone, sign}.
export function stateOf(info) {
  if (info.paused) return { word: "paused", tone: "soft", sign: "■" };
  if (info.problem) return { word: "does not run", tone: "bad", sign: "✕" };
  if (info.draining) return { word: "draining", tone: "warn", sign: "◐" };
  const up = info.sides.filter((one) => one.state === "up").length, all = info.sides.length;
  if (up === all) return { word: "up", tone: "good", sign: "●" };
  return { word: up ? `${up} of ${all} up` : "down", tone: up ? "warn" : "bad", sign: up ? "◐" : "✕" };
}

const sum = (sides, name) => sides.reduce((all, one) => all + one[name], 0);

// {up, all, carried, waiting, setAside} of gateways.
export function summaryOf(gateways) {
  const sides = gateways.flatMap((one) => one.sides);
  return {
    up: gateways.filter((one) => stateOf(one).word === "up").length, all: gateways.length,
    carried: sum(gateways, "carried"), waiting: sum(sides, "waiting"), setAside: sum(sides, "set_aside"),
  };
}

// A function of counts by key: how much each has grown in a second since the last time; null at first.
export function ratesOf() {
  let before = null, rates = {};
  return (counts) => {
    const now = performance.now();
    if (before && now - before.at < LEAST) return rates;
    const grown = (key) => (key in (before?.counts ?? {}) ? Math.max(0, counts[key] - before.counts[key]) / (now - before.at) * 1000 : null);
    rates = Object.fromEntries(Object.keys(counts).map((key) => [key, grown(key)]));
    before = { at: now, counts };
    return rates;
  };
}

// A function that loads all that the gateways know. What they cannot reach for the moment stays where it was.
export function federationLoader() {
  const grow = ratesOf(), withLost = memory();
  return async () => {
    const { gateways } = await ask("GET", "/v1/gateways");
    const reached = withLost(gateways, await reachedBy(gateways));
    const rates = grow(Object.fromEntries(gateways.flatMap((one) => one.sides.flatMap((side) => ["received", "sent"]
      .map((name) => [`${one.name}/${side.adapter}/${name}`, side[name]])))));
    return { gateways, ...graphOf(gateways, reached, rates) };
  };
}

// The services that gateways reach. Those that reach each other know the same: one of them is asked.
async function reachedBy(gateways) {
  const found = [], known = new Set();
  for (const { name, system, problem } of gateways) {
    if (problem || known.has(idOf("gateway", system, name))) continue;
    const services = await servicesOf(name);
    for (const one of services) {
      found.push({ ...one, system });
      for (const each of one.gateways) known.add(idOf("gateway", system, each));
    }
  }
  return found;
}

// Adds what was reached before, as long as this service's own gateways join the same.
function memory() {
  let known = new Map(), own = "";
  return (gateways, reached) => {
    const now = gateways.map((one) => [one.system, one.name, ...one.sides.map((side) => side.service)].join("/")).join("\n");
    if (now !== own) [known, own] = [new Map(), now];
    const pairs = new Map(reached.flatMap((one) => one.gateways.map((gateway) => [idOf("pair", one.system, gateway, one.service), { ...one, gateways: [gateway] }])));
    const lost = [...known].filter(([id]) => !pairs.has(id)).map(([, one]) => ({ ...one, isGone: true }));
    known = new Map([...known, ...pairs]);
    return [...reached, ...lost];
  };
}

async function servicesOf(gateway) {
  try {
    return (await ask("GET", gatewayPath(gateway, "/services"))).services;
  } catch (error) {
    if (error instanceof Problem && [404, 409].includes(error.status)) return []; // it was stopped meanwhile
    throw error;
  }
}

// {nodes, links}, both by id; `rates` by gateway, adapter and count.
export function graphOf(gateways, reached, rates) {
  const nodes = new Map(), links = new Map();
  const node = (type, system, name, more) => {
    const id = idOf(type, system, name);
    if (!nodes.has(id)) nodes.set(id, { id, type, name, system, kind: "", info: null, isOwn: false, isGone: false, links: [], ...more });
    return nodes.get(id);
  };
  const link = (gateway, service, more) => {
    const id = idOf("link", gateway.system, gateway.name, service.name);
    if (links.has(id)) return;
    const made = { id, gateway, service, side: null, state: "up", inward: null, outward: null, ...more };
    links.set(id, made);
    gateway.links.push(made);
    service.links.push(made);
  };
  for (const info of gateways) {
    const gateway = node("gateway", info.system, info.name, { info, isOwn: true });
    for (const side of info.sides) {
      const rate = (name) => rates[`${info.name}/${side.adapter}/${name}`] ?? null;
      const service = node("service", info.system, side.service, { kind: side.kind, isOwn: true });
      link(gateway, service, { side, state: info.problem ? "stopped" : side.state, inward: rate("received"), outward: rate("sent") });
    }
  }
  for (const { service, kind, system, gateways: joined, isGone = false } of reached)
    for (const name of joined)
      link(node("gateway", system, name, { isGone }), node("service", system, service, { kind, isGone }), isGone ? { state: "down" } : {});
  return { nodes, links };
}

// What a path leads over: {marked, order, from, times}: ids, the numbers of services on it, where each link is entered, and
// what a gateway's time was after the first one's. `steps` are {at, to} and, of a probe, gateway and time; without a gateway it is any
// that joins both.
export function markedBy(steps, system, { nodes, links }) {
  const order = new Map(), marked = new Set(), from = new Map(), times = new Map();
  const pass = (service) => {
    const id = idOf("service", system, service);
    if (!order.has(id)) order.set(id, order.size + 1);
    marked.add(id);
  };
  for (const { at, to, gateway, time } of steps) {
    pass(at);
    pass(to);
    const joined = [...nodes.values()].filter((one) => one.type === "gateway" && (!gateway || one.name === gateway));
    for (const one of joined) {
      const both = [at, to].map((service) => links.get(idOf("link", system, one.name, service)));
      if (!both.every(Boolean)) continue;
      marked.add(one.id);
      if (time) times.set(one.id, time - steps[0].time);
      both.forEach((each, index) => from.set(each.id, index ? one.id : each.service.id));
    }
  }
  for (const id of from.keys()) marked.add(id);
  return { marked, order, from, times };
}
