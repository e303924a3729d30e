// The tree of all objects, from the outline: service → channels → admins → proxies. Pure.
import { column } from "./outline.js";

// {service, channels} with nodes {kind, key, at, name, …, children}; children are in the order they are shown.
export function treeOf(outline) {
  const service = { kind: "service", key: "service", at: {}, name: "Service", children: [], waiting: 0, rate: null };
  const channels = new Map(), admins = new Map();
  addChannels(outline.channels, service, channels);
  addAdmins(outline.admins, channels, admins);
  addProxies(outline.proxies, channels, admins);
  service.children.sort(byName);
  return service;
}

const byName = (a, b) => (a.name ? 0 : 1) - (b.name ? 0 : 1) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) || a.id - b.id;

function addChannels(table, service, channels) {
  for (let row = 0; row < table.id.length; row++) {
    const id = table.id[row];
    const node = {
      kind: "channel", key: `channel-${id}`, id, at: { channel: id }, name: table.name[row], parent: service, children: [],
      rate: table.rate[row], waiting: table.waiting[row], suppliers: table.suppliers[row], consumers: table.consumers[row],
    };
    service.waiting += node.waiting;
    if (node.rate !== null) service.rate += node.rate;
    service.children.push(node);
    channels.set(id, node);
  }
}

function addAdmins(table, channels, admins) {
  const side = column(table.side), operator = column(table.operator);
  for (let row = 0; row < table.id.length; row++) {
    const channel = channels.get(table.channel[row]), id = table.id[row];
    const key = `admin-${channel.id}-${side(row)}-${id}`;
    const node = {
      kind: "admin", key, id, at: { channel: channel.id, side: side(row), admin: id }, side: side(row), name: "", parent: channel,
      children: [], operator: operator(row), filters: table.filters[row], waiting: 0, rate: null,
    };
    channel.children.push(node);
    admins.set(key, node);
  }
}

// Proxies of an admin that the viewer may not see are directly in their channel.
function addProxies(table, channels, admins) {
  const words = Object.fromEntries(["side", "style", "form", "state", "owner", "door"].map((name) => [name, column(table[name])]));
  for (let row = 0; row < table.id.length; row++) {
    const channel = channels.get(table.channel[row]), id = table.id[row], side = words.side(row);
    const parent = admins.get(`admin-${channel.id}-${side}-${table.admin[row]}`) ?? channel;
    const node = {
      kind: "proxy", key: `proxy-${channel.id}-${id}`, id, at: { channel: channel.id, proxy: id }, name: table.name[row], parent, side,
      style: words.style(row), form: words.form(row), state: words.state(row), owner: words.owner(row), door: words.door(row),
      peer: table.peer[row], waiting: table.waiting[row], in_flight: table.in_flight[row], behind: table.behind[row],
      failures: table.failures[row], rate: side === "consumer" ? table.rate[row] : null, filters: table.filters[row],
    };
    if (parent.kind === "admin") parent.waiting += node.waiting;
    parent.children.push(node);
  }
}

// What a search looks at.
export function textOf(node) {
  node.text ??= [node.name, node.kind, node.id, node.side, node.state, node.style, node.owner, node.door, node.peer]
    .filter((one) => one !== undefined && one !== "").join(" ").toLowerCase();
  return node.text;
}

// The rows that are shown: [{node, depth, at, of}], `at` of `of` among its siblings. With words to search for, those that
// have all of them, with what they are in; otherwise what is in `expanded`.
export function rowsOf(service, expanded, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = words.length ? found(service, words) : null;
  const rows = [];
  const add = (node, depth, at, of) => {
    rows.push({ node, depth, at, of });
    if (!(wanted || expanded.has(node.key)) || !node.children) return;
    const children = wanted ? node.children.filter((one) => wanted.has(one)) : node.children;
    children.forEach((one, index) => add(one, depth + 1, index + 1, children.length));
  };
  add(service, 0, 1, 1);
  return rows;
}

function found(service, words) {
  const kept = new Set();
  const look = (node) => {
    let any = words.every((word) => textOf(node).includes(word));
    for (const child of node.children ?? []) any = look(child) || any;
    if (any) kept.add(node);
    return any;
  };
  look(service);
  return kept;
}
