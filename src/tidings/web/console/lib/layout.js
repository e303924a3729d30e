// Places for a graph of two kinds of nodes, each link between one of each: in columns. Pure, and the
// same for the same graph: it does not jump.
//
// A link never passes a column: a walk in breadth gives its ends neighbouring ones. It has a place of its own
// between them, which its line leads through, so that what is written there hides no other line.

export const COLUMN = 250;
const GAP = 44; // between two parts of a graph that nothing joins
const ROUNDS = 12, TRIES = 8;
const ROOM = { width: 1100, height: 460 }; // what a window has: a shape to come near to
const byId = (a, b) => (a.id < b.id ? -1 : 1);

// nodes: [{id, height}], links: [{id, ends: [id, id], height}] → {width, height, places: Map of id → {x, y}}; x and y are
// those of centres, the width that of `COLUMN`s.
export function layoutOf(nodes, links) {
  const all = new Map([...nodes].sort(byId).map((one) => [one.id, { ...one, near: [], layer: null }]));
  const between = [...links].sort(byId).map((one) => ({ ...one, near: one.ends.map((id) => all.get(id)) }));
  for (const { near: [a, b] } of between) {
    a.near.push(b);
    b.near.push(a);
  }
  const parts = partsOf([...all.values()]).map((part) => placed(part, between.filter((one) => part.includes(one.near[0]))));
  return shelved(parts.sort((a, b) => b.all.length - a.all.length));
}

function partsOf(all) {
  const seen = new Set(), parts = [];
  for (const one of all) {
    if (seen.has(one)) continue;
    const part = [...walk(one).keys()];
    part.forEach((each) => seen.add(each));
    parts.push(part.sort(byId));
  }
  return parts;
}

// How far each node is from one.
function walk(start) {
  const far = new Map([[start, 0]]);
  for (const one of far.keys()) for (const next of one.near) if (!far.has(next)) far.set(next, far.get(one) + 1);
  return far;
}

const farthest = (far) => [...far].sort(([a, m], [b, n]) => n - m || byId(a, b))[0][0];

const sizeIn = ({ width, height }) => Math.min(ROOM.width / width, ROOM.height / height);

// From end to end, or from the middle on to one side: what fits better.
function placed(part, between) {
  const end = farthest(walk(farthest(walk(part[0]))));
  const reach = new Map(part.map((one) => [one, Math.max(...walk(one).values())]));
  const middle = part.reduce((best, one) => (reach.get(one) < reach.get(best) ? one : best));
  const [long, deep] = [end, middle].map((start) => placedFrom(start, part, between));
  return sizeIn(deep) > sizeIn(long) ? deep : long;
}

function placedFrom(start, part, between) {
  for (const [one, far] of walk(start)) one.layer = 2 * far;
  balance(part);
  for (const link of between) link.layer = (link.near[0].layer + link.near[1].layer) / 2;
  const around = neighbours(between);
  const ordered = fewestCrossings(start, around);
  settle(ordered, around);
  ordered.forEach((layer, at) => layer.forEach((one) => { one.x = (at + 1) * COLUMN / 2; }));
  const all = ordered.flat(), top = Math.min(...all.map((one) => one.y - one.height / 2));
  const bottom = Math.max(...all.map((one) => one.y + one.height / 2));
  return { all: all.map(({ id, x, y }) => ({ id, x, y: y - top })), width: (ordered.length + 1) * COLUMN / 2, height: bottom - top };
}

// All from one on, each branch to its end, in which order a tree has no crossings; `turn` changes which branch is first.
function inDepth(start, around, turn) {
  const seen = new Set(), waiting = [start];
  while (waiting.length) {
    const one = waiting.pop();
    if (seen.has(one)) continue;
    seen.add(one);
    const next = around(one), by = turn % next.length || 0;
    const turned = [...next.slice(by), ...next.slice(0, by)];
    waiting.push(...(turn % 2 ? turned : turned.reverse()));
  }
  return seen;
}

// What hangs on one node only goes to its emptier side.
function balance(part) {
  const size = (layer) => part.filter((one) => one.layer === layer).length;
  for (const one of part) {
    const before = one.layer - 4;
    if (one.near.length === 1 && before >= 0 && one.near[0].layer === one.layer - 2 && size(before) + 1 < size(one.layer)) one.layer = before;
  }
}

function neighbours(between) {
  const around = new Map();
  for (const link of between) {
    around.set(link, link.near);
    for (const end of link.near) around.set(end, [...(around.get(end) ?? []), link]);
  }
  return (one) => around.get(one) ?? [];
}

const mean = (numbers) => numbers.reduce((all, one) => all + one, 0) / numbers.length;

// The order in each layer with the fewest crossings, of several tries.
function fewestCrossings(start, around) {
  let best = null;
  for (let turn = 0; turn < TRIES && best?.crossed !== 0; turn++) {
    const layers = [];
    for (const one of inDepth(start, around, turn)) (layers[one.layer] ??= []).push(one);
    const found = arranged(layers, around);
    if (!best || found.crossed < best.crossed) best = found;
  }
  return best.layers;
}

// Each layer in the order of what it is joined with, as long as that makes them fewer.
function arranged(layers, around) {
  const rank = new Map();
  const number = (layer) => layer.forEach((one, at) => rank.set(one, (at + 0.5) / layer.length));
  let now = layers, best = { layers, crossed: crossings(layers, around) };
  now.forEach(number);
  for (let round = 0; round < ROUNDS && best.crossed; round++) {
    now = now.map((layer) => [...layer]);
    for (const layer of round % 2 ? now.toReversed() : now) {
      const wish = new Map(layer.map((one) => [one, around(one).length ? mean(around(one).map((each) => rank.get(each))) : rank.get(one)]));
      layer.sort((a, b) => wish.get(a) - wish.get(b) || rank.get(a) - rank.get(b));
      number(layer);
    }
    const crossed = crossings(now, around);
    if (crossed < best.crossed) best = { layers: now, crossed };
  }
  return best;
}

function crossings(layers, around) {
  let all = 0;
  for (let at = 1; at < layers.length; at++) {
    const row = new Map(layers[at - 1].map((one, index) => [one, index])), before = [];
    for (const one of layers[at]) {
      const rows = around(one).map((each) => row.get(each)).filter((each) => each !== undefined);
      for (const each of rows) all += before.filter((other) => other > each).length;
      before.push(...rows);
    }
  }
  return all;
}

// Straight lines: everything at the height of what it is joined with, in its order, nothing over another.
function settle(layers, around) {
  for (const layer of layers) stack(layer, () => 0);
  for (let round = 0; round < ROUNDS; round++) {
    const way = round % 2 ? [...layers].reverse() : layers;
    for (const layer of way) stack(layer, (one) => (around(one).length ? mean(around(one).map((each) => each.y)) : one.y));
  }
}

function stack(layer, wishOf) {
  const wishes = layer.map(wishOf);
  let end = -Infinity;
  layer.forEach((one, at) => {
    one.y = Math.max(wishes[at], end + one.height / 2);
    end = one.y + one.height / 2;
  });
  const moved = mean(layer.map((one, at) => wishes[at] - one.y));
  for (const one of layer) one.y += moved;
}

// The parts beside each other, as long as they are no wider than the widest.
function shelved(parts) {
  const most = Math.max(0, ...parts.map((one) => one.width));
  const places = new Map();
  let x = 0, y = 0, deep = 0;
  for (const part of parts) {
    if (x + part.width > most) [x, y, deep] = [0, y + deep + (deep && GAP), 0];
    for (const one of part.all) places.set(one.id, { x: x + one.x, y: y + one.y });
    x += part.width;
    deep = Math.max(deep, part.height);
  }
  return { width: most, height: y + deep, places };
}
