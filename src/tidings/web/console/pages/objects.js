// All objects as a tree, the selected one beside it, and what can be done with each.
import { treeLoader } from "../lib/branches.js";
import { count, plural, rate } from "../lib/format.js";
import { useShortcut } from "../lib/keyboard.js";
import { useLive } from "../lib/live.js";
import { openObjectMenu, placeOf } from "../lib/objects.js";
import { Page } from "../lib/page.js";
import { change } from "../lib/router.js";
import { Rows } from "../lib/rows.js";
import { Empty, Loaded, Loading } from "../lib/states.js";
import { Name, Text } from "../lib/text.js";
import { rowsOf } from "../lib/tree.js";
import { html, useEffect, useMemo, useRef, useState } from "../lib/ui.js";
import { Details } from "./objects/details.js";

const EVERY = 5;
const HEIGHT = 26;
const PAGE = 20;
const TONES = { away: "warn", suspended: "warn", connected: "good", "not connected": "soft" };

export default function Objects({ query }) {
  const [search, setSearch] = useState(query.search ?? "");
  const selected = query.at ?? "service";
  const loader = useMemo(treeLoader, []);
  const wanted = useRef({ shown: [] });
  const inView = useRef([]);
  const { data: tree, error, refresh } = useLive(() => loader.load(wanted.current), { every: EVERY, key: "tree" });
  const searching = Boolean(search.trim());
  const want = () => {
    wanted.current = { searching, shown: [placeOf(selected).at.channel, ...inView.current].filter((id) => id !== undefined) };
    return searching ? !loader.knowsAll() : wanted.current.shown.some((id) => !loader.knows(id));
  };
  const see = (ids) => {
    inView.current = ids;
    if (want()) refresh();
  };
  want();
  const complete = useRef();
  complete.current = () => tree && want() && refresh();
  useComplete(complete, searching, selected);
  return html`<${Page} title="Objects" actions=${html`<input type="search" placeholder="Search (/)" aria-label="Search objects by name, state, owner, peer"
      value=${search} onInput=${(event) => setSearch(event.target.value)} />`}>
    <${Loaded} of=${{ data: tree, error, refresh, loading: !tree && !error }}>${() => html`<div class="objects">
      <${Tree} tree=${tree} search=${search} object=${objectAt(tree, selected)} onSee=${see} />
      <${Details} object=${objectAt(tree, selected)} />
    </div>`}<//>
  <//>`;
}

// Hooks that stay are functions of their own: they would hold on to the tree that there was when they began.
const useComplete = (complete, ...when) => useEffect(() => { complete.current(); }, when);
const useOpened = (setExpanded, keys, selected) => useEffect(() => setExpanded((before) => new Set([...before, ...keys])), [selected, keys.length]);
const focusTree = () => document.querySelector("#tree")?.focus();

// The node of a key; one that has ended, or is not loaded yet, is still a place.
function objectAt(tree, key) {
  const place = placeOf(key);
  if (place.kind === "service") return tree;
  const channel = tree.children.find((one) => one.id === place.at.channel);
  const inside = (one) => (one.key === key ? one : (one.children ?? []).map(inside).find(Boolean));
  return (channel && inside(channel)) ?? { ...place, key, name: "", gone: !channel || channel.isKnown };
}

function Tree({ tree, search, object, onSee }) {
  const selected = object.key;
  const [expanded, setExpanded] = useState(() => new Set(["service", ...above(object)]));
  const rows = useMemo(() => rowsOf(tree, expanded, search), [tree, expanded, search]);
  const at = rows.findIndex((one) => one.node.key === selected);
  useOpened(setExpanded, above(object), selected);
  useShortcut("t", "Go to the tree of objects", focusTree);
  const toggle = (key) => setExpanded((before) => {
    const next = new Set(before);
    if (!next.delete(key)) next.add(key);
    return next;
  });
  // Channels that are open, of the rows in the page: what is in them must be loaded.
  const see = (first, last) => onSee([...new Set(rows.slice(first, last).map((row) => channelOf(row.node)).filter((one) => one && (search || expanded.has(one.key))).map((one) => one.id))]);
  const select = (index) => rows[index] && change({ at: rows[index].node.key });
  const keys = (event) => {
    const row = rows[at];
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1, PageDown: Math.min(rows.length - 1, at + PAGE), PageUp: Math.max(0, at - PAGE) };
    if (event.key in moves) select(moves[event.key]);
    else if (event.key === "ArrowRight" && row?.node.children) expanded.has(row.node.key) ? select(at + 1) : toggle(row.node.key);
    else if (event.key === "ArrowLeft" && row) row.node.children && expanded.has(row.node.key) ? toggle(row.node.key) : row.node.parent && change({ at: row.node.parent.key });
    else if (event.key === "Enter" && row) document.querySelector("#details h2")?.focus();
    else if ((event.key === "ContextMenu" || (event.shiftKey && event.key === "F10")) && row) openObjectMenu(document.getElementById(`row-${row.node.key}`), row.node);
    else return;
    event.preventDefault();
  };
  const menu = (event) => {
    const row = rows[event.target.closest("[data-at]")?.dataset.at];
    if (!row) return;
    event.preventDefault();
    change({ at: row.node.key });
    openObjectMenu(event.button === 2 ? { x: event.clientX, y: event.clientY } : document.getElementById(`row-${row.node.key}`), row.node);
  };
  const click = (event) => {
    const row = rows[event.target.closest("[data-at]")?.dataset.at];
    if (!row) return;
    change({ at: row.node.key });
    if (event.target.closest(".twist")) toggle(row.node.key);
  };
  const open = (event) => {
    const row = rows[event.target.closest("[data-at]")?.dataset.at];
    if (row?.node.children && !event.target.closest(".twist")) toggle(row.node.key);
  };
  return html`<div class="tree">
    <${Rows} id="tree" rows=${rows} rowHeight=${HEIGHT} shown=${at} role="treegrid" aria-label="Objects" aria-rowcount=${rows.length + 1} tabindex="0"
      aria-activedescendant=${at >= 0 ? `row-${selected}` : null} onKeyDown=${keys} onContextMenu=${menu} onClick=${click} onDblClick=${open} onView=${see} head=${html`<${Head} />`}>
      ${(row, index) => html`<${Row} key=${row.node.key} ...${row} index=${index} chosen=${index === at} open=${Boolean(search) || expanded.has(row.node.key)} />`}
    <//>
    ${search && rows.length === 1 && (tree.isComplete ? html`<${Empty} title="Nothing found">No object has all of these words.<//>` : html`<${Loading} />`)}
  </div>`;
}

const channelOf = (node) => (!node || node.kind === "channel" ? node : channelOf(node.parent));

// The keys of what an object is in.
const above = ({ parent }) => (parent ? [...above(parent), parent.key] : []);

// Nothing in the rows is the same in each template: htm keeps such parts, each with all that was around it at its first use.
const COLUMNS = [["Object"], ["State"], ["Client", "wide-only"], ["Rate /s", "n"], ["Waiting", "n"], ["Lag", "n wide-only", "Events since the oldest one that was not taken"]];

const Head = () => html`<div role="rowgroup" class=${"rows-head"}><div role="row" class=${"tree-row head"}>
  ${COLUMNS.map(([name, kind, title]) => html`<span role="columnheader" class=${kind} title=${title}>${name}</span>`)}
</div></div>`;

function Row({ node, depth, at, of, index, chosen, open }) {
  const leaf = !node.children;
  return html`<div id=${`row-${node.key}`} data-at=${index} role="row" class=${chosen ? "tree-row chosen" : "tree-row"} aria-level=${depth + 1} aria-setsize=${of}
      aria-posinset=${at} aria-selected=${chosen} aria-rowindex=${index + 2} aria-expanded=${leaf ? null : open}>
    <span role="gridcell" class=${`tree-name depth-${depth}`}>
      <span class=${leaf ? "twist leaf" : "twist"} aria-hidden="true">${leaf ? "" : open ? "▾" : "▸"}</span>
      <${Label} node=${node} />
    </span>
    <span role="gridcell" class=${TONES[node.state] ?? "soft"}>${node.state ?? (node.kind === "channel" ? `${count(node.suppliers)} → ${count(node.consumers)}` : "")}</span>
    <span role="gridcell" class="soft wide-only ellipsis">${node.kind === "proxy" && html`${node.style} ${node.door} <${Text} text=${node.peer} />`}</span>
    <span role="gridcell" class="n">${node.rate === null || node.rate === undefined ? "" : rate(node.rate)}</span>
    <span role="gridcell" class="n"><span class=${node.waiting ? null : "soft"}>${count(node.waiting)}</span></span>
    <span role="gridcell" class="n wide-only">${node.behind ? count(node.behind) : ""}</span>
  </div>`;
}

function Label({ node }) {
  if (node.kind === "service") return html`<b>${node.name}</b><span class="soft">${plural(node.children.length, "channel")}</span>`;
  if (node.kind === "admin") return html`<span>${node.side === "supplier" ? "Suppliers" : "Consumers"}</span><span class="soft">admin ${node.id}${node.filters ? `, ${plural(node.filters, "filter")}` : ""}, ${plural(node.children.length, "proxy", "proxies")}</span>`;
  return html`<span class="ellipsis"><${Name} name=${node.name} kind=${node.kind} id=${node.id} /></span>`;
}
