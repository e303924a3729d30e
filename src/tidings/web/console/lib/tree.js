// The tree of all objects: service → channels → admins → proxies. Pure.

// {kind, key, at, name, …, children}; children are in the order they are shown. `branches` has what is in a channel, by
// its id; where it is missing, that is not known yet.
export function treeOf(channels, branches) {
  const service = { kind: "service", key: "service", at: {}, name: "Service", children: [], waiting: 0, rate: null };
  for (let row = 0; row < channels.id.length; row++) addChannel(service, channels, row, branches);
  service.children.sort(byName);
  return service;
}

const byName = (a, b) => (a.name ? 0 : 1) - (b.name ? 0 : 1) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) || a.id - b.id;

function addChannel(service, table, row, branches) {
  const id = table.id[row], branch = branches.get(id);
  const node = {
    kind: "channel", key: `channel-${id}`, id, at: { channel: id }, name: table.name[row], parent: service,
    children: branch?.children ?? [], isKnown: Boolean(branch),
    rate: table.rate[row], waiting: table.waiting[row], suppliers: table.suppliers[row], consumers: table.consumers[row],
  };
  for (const child of node.children) child.parent = node;
  service.waiting += node.waiting;
  if (node.rate !== null) service.rate += node.rate;
  service.children.push(node);
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
