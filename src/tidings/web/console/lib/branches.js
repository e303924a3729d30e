// What the tree of objects shows, and no more: the channels, and what is in those that can be seen. What is in all of them
// is loaded only while somebody searches. Much is loaded less often than little (pace), but at once after an action.
import { changed } from "./live.js";
import { column, outlineLoader, pace } from "./outline.js";
import { ask, revived } from "./service.js";
import { treeOf } from "./tree.js";

const MOST = 100; // channels that the service takes in one request
const LEAST = 1; // second between two loads of the same
const SLICE = 8; // milliseconds of work, after which the page may do something else

// {load, knows}: `load({shown, searching})` returns the tree, with what is in the channels `shown`, by their ids.
export function treeLoader() {
  const loadChannels = outlineLoader({ inside: false });
  const branches = new Map(); // by the id of a channel: {children, taken, now, size, at}
  let channels = null, all = null, actions = 0; // channels and all: {size, at} since they were loaded
  let before = Promise.resolve();

  // One after the other: what the first has loaded need not be loaded again.
  const load = (wanted) => (before = before.catch(() => {}).then(() => loadNow(wanted)));

  const loadNow = async ({ shown, searching }) => {
    const mayWait = actions === changed.value + revived.value;
    const isDue = (one) => !one || !mayWait || performance.now() - one.at >= 1000 * pace(one.size, LEAST);
    actions = changed.value + revived.value;
    if (isDue(channels)) channels = await timed(loadChannels, (found) => found.channels.id.length);
    const ids = new Set(channels.found.channels.id);
    for (const id of branches.keys()) if (!ids.has(id)) branches.delete(id);
    const due = shown.filter((id) => ids.has(id) && isDue(branches.get(id))).slice(0, MOST);
    if (searching && isDue(all)) all = await timed(() => loadBranches("/v1/outline", [...ids]), (size) => size);
    else if (due.length) await loadBranches(`/v1/outline?${due.map((id) => `of=${id}`).join("&")}`, due);
    return { ...treeOf(channels.found.channels, branches), isComplete: Boolean(all) };
  };

  const loadBranches = async (path, ids) => {
    const outline = await ask("GET", path);
    const found = await branchesOf(outline, ids, branches);
    for (const [id, branch] of found) branches.set(id, branch);
    return outline.proxies.id.length;
  };

  return { load, knows: (id) => branches.has(id), knowsAll: () => Boolean(all) };
}

async function timed(load, sizeOf) {
  const found = await load();
  return { found, size: sizeOf(found), at: performance.now() };
}

// From the outline of channels, what is in each of them; rates since what was there before.
async function branchesOf(outline, ids, before) {
  const now = outline.now, at = performance.now();
  const found = new Map(ids.map((id) => [id, { children: [], taken: new Map(), now, size: 0, at }]));
  const admins = addAdmins(outline.admins, found);
  const words = Object.fromEntries(["side", "style", "form", "state", "owner", "door"].map((name) => [name, column(outline.proxies[name])]));
  let until = performance.now() + SLICE;
  for (let row = 0; row < outline.proxies.id.length; row++) {
    addProxy(outline.proxies, words, row, found, admins, before);
    if (performance.now() < until) continue;
    await new Promise((resolve) => setTimeout(resolve));
    until = performance.now() + SLICE;
  }
  return found;
}

function addAdmins(table, branches) {
  const side = column(table.side), operator = column(table.operator), admins = new Map();
  for (let row = 0; row < table.id.length; row++) {
    const channel = table.channel[row], id = table.id[row], branch = branches.get(channel);
    if (!branch) continue; // made since the channels were loaded
    const key = `admin-${channel}-${side(row)}-${id}`;
    const node = {
      kind: "admin", key, id, at: { channel, side: side(row), admin: id }, side: side(row), name: "",
      children: [], operator: operator(row), filters: table.filters[row], waiting: 0, rate: null,
    };
    branch.children.push(node);
    admins.set(key, node);
  }
  return admins;
}

// Proxies of an admin that the viewer may not see are directly in their channel.
function addProxy(table, words, row, branches, admins, before) {
  const channel = table.channel[row], id = table.id[row], side = words.side(row), branch = branches.get(channel);
  if (!branch) return;
  const admin = admins.get(`admin-${channel}-${side}-${table.admin[row]}`);
  const node = {
    kind: "proxy", key: `proxy-${channel}-${id}`, id, at: { channel, proxy: id }, name: table.name[row], parent: admin, side,
    style: words.style(row), form: words.form(row), state: words.state(row), owner: words.owner(row), door: words.door(row),
    peer: table.peer[row], waiting: table.waiting[row], in_flight: table.in_flight[row], behind: table.behind[row],
    failures: table.failures[row], filters: table.filters[row],
    rate: side === "consumer" ? rateOf(table.taken[row], branch.now, before.get(channel), id) : null,
  };
  branch.taken.set(id, table.taken[row]);
  branch.size++;
  if (admin) admin.waiting += node.waiting;
  (admin ?? branch).children.push(node);
}

function rateOf(taken, now, before, id) {
  const earlier = before?.taken.get(id);
  return earlier === undefined ? null : Math.max(0, taken - earlier) / Math.max(0.001, (now - before.now) / 1e6);
}
