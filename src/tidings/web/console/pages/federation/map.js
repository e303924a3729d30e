// The federation as a map: services and gateways in columns, a line for each side.
import { count, milliseconds, plural, rate, visible } from "../../lib/format.js";
import { afar, STATES, stateOf } from "../../lib/federation.js";
import { COLUMN, layoutOf } from "../../lib/layout.js";
import { Text } from "../../lib/text.js";
import { html, useLayoutEffect, useMemo, useRef, useState } from "../../lib/ui.js";

const NODE = { width: 136, height: 62 };
const CHIP = { width: 92, height: 24, tall: 42 };
const MARGIN = 10, PADDING = 16;
const LEAST = 0.62; // smaller letters cannot be read
const ZOOM = 1.25;

// marked: what a way leads over (markedBy), or null; onOpen: called with an id, and whether to go to its details
export function FederationMap({ graph, chosen, marked, onOpen }) {
  const places = usePlaces(graph);
  const [zoom, setZoom] = useState(1);
  const [frame, fit] = useFit(places.width);
  const scale = fit * zoom;
  const size = (n) => `${Math.round(n * scale)}px`;
  const open = (id) => (event) => onOpen(id, event.detail === 0); // a key, not the mouse
  const at = (id, { width, height }) => {
    const { x, y } = places.places.get(id);
    return { left: `${x - width / 2}px`, top: `${y - height / 2}px`, width: `${width}px`, height: `${height}px` };
  };
  const tone = (id) => [id === chosen ? "chosen" : "", marked ? (marked.marked.has(id) ? "marked" : "faded") : ""].join(" ");
  return html`<div class="map">
    <div class="map-frame" ref=${frame}>
      <div class="map-size" style=${{ width: size(places.width), height: size(places.height) }}>
        <div class="map-all" role="group" aria-label=${`Map: ${told(graph)}`} style=${{ width: `${places.width}px`, height: `${places.height}px`, transform: `scale(${scale})` }}>
          <${Lines} graph=${graph} places=${places.places} width=${places.width} height=${places.height} marked=${marked} chosen=${chosen} />
          ${inOrder(graph).map((one) => (one.type
            ? html`<${Node} key=${one.id} node=${one} look=${tone(one.id)} place=${at(one.id, NODE)} step=${marked?.order.get(one.id)} time=${marked?.times.get(one.id)} onOpen=${open(one.id)} />`
            : html`<${Link} key=${one.id} link=${one} look=${tone(one.id)} place=${at(one.id, { width: CHIP.width, height: heightOf(one) })} flip=${isFlipped(one, places.places)} onOpen=${open(one.id)} />`))}
        </div>
      </div>
    </div>
    <footer><${Legend} />
      <span class="map-zoom"><button class="small" aria-label="Make the map smaller" onClick=${() => setZoom(Math.max(0.4, zoom / ZOOM))}>−</button>
        <button class="small" onClick=${() => setZoom(1)}>Fit</button>
        <button class="small" aria-label="Make the map larger" onClick=${() => setZoom(Math.min(4, zoom * ZOOM))}>+</button></span>
    </footer>
  </div>`;
}

export const told = ({ nodes, links }) => {
  const of = (type) => [...nodes.values()].filter((one) => one.type === type).length;
  return `${plural(of("gateway"), "gateway")}, ${plural(of("service"), "service")}, ${plural(links.size, "link")}`;
};

// Each gateway, then its links, then the services: as one goes through with Tab.
const inOrder = ({ nodes }) => {
  const all = [...nodes.values()];
  return [...all.filter((one) => one.type === "gateway").flatMap((one) => [one, ...one.links]), ...all.filter((one) => one.type === "service")];
};

const badgesOf = ({ side }) => (side ? [[side.waiting, "waiting", "warn"], [side.set_aside, "set aside", "bad"]].filter(([n]) => n) : []);
const heightOf = (link) => (badgesOf(link).length ? CHIP.tall : CHIP.height);
const isFlipped = ({ gateway, service }, places) => places.get(service.id).x > places.get(gateway.id).x;

// Places are found anew only if there is something else to place: counts that change move nothing.
function usePlaces({ nodes, links }) {
  const key = [...nodes.keys(), "", ...links.keys()].sort().join("\n");
  return useMemo(() => {
    const { width, height, places } = layoutOf([...nodes.values()].map(({ id }) => ({ id, height: NODE.height + 18 })),
      [...links.values()].map((one) => ({ id: one.id, ends: [one.gateway.id, one.service.id], height: CHIP.tall + 4 })));
    const side = (COLUMN - NODE.width) / 2 - MARGIN, moved = new Map();
    for (const [id, { x, y }] of places) moved.set(id, { x: x - side, y: y + MARGIN });
    return { width: width - 2 * side, height: height + 2 * MARGIN, places: moved };
  }, [key]);
}

function useFit(width) {
  const frame = useRef();
  const [room, setRoom] = useState(0);
  useLayoutEffect(() => {
    const look = () => setRoom(frame.current.clientWidth - 2 * PADDING);
    const sized = new ResizeObserver(look);
    sized.observe(frame.current);
    look();
    return () => sized.disconnect();
  }, []);
  return [frame, room ? Math.min(1, Math.max(LEAST, room / width)) : 1];
}

// The more events, the thicker: 1 a second is 2 pixels, 10,000 are 7.
const weight = ({ inward, outward }) => Math.min(8, 1.75 + 1.3 * Math.log10(1 + (inward ?? 0) + (outward ?? 0)));

function Lines({ graph, places, width, height, marked, chosen }) {
  const line = (link) => {
    const from = marked?.from.get(link.id);
    const ends = [places.get(link.gateway.id), places.get(link.service.id)];
    const way = from === link.service.id ? ends.reverse() : ends;
    const look = marked ? (from ? "marked" : "faded") : link.id === chosen || link.gateway.id === chosen || link.service.id === chosen ? "chosen" : "";
    return html`<path key=${link.id} class=${`line ${link.state} ${link.side ? "" : "foreign"} ${look}`} stroke-width=${from ? Math.max(3, weight(link)) : weight(link)}
      marker-end=${from ? "url(#map-arrow)" : null} d=${curve(way[0], places.get(link.id), way[1])} />`;
  };
  const last = (link) => (marked?.from.has(link.id) ? 1 : 0);
  return html`<svg aria-hidden="true" width=${width} height=${height}>
    <defs><marker id="map-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="11" markerHeight="11" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" /></marker></defs>
    ${[...graph.links.values()].sort((a, b) => last(a) - last(b)).map(line)}
  </svg>`;
}

function curve(from, over, to) {
  const way = Math.sign(to.x - from.x), a = from.x + way * NODE.width / 2, b = to.x - way * NODE.width / 2;
  const part = (x1, y1, x2, y2) => `C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`;
  return `M${a} ${from.y}${part(a, from.y, over.x, over.y)}${part(over.x, over.y, b, to.y)}`;
}

function Node({ node, look, place, step, time, onOpen }) {
  const state = node.info && stateOf(node.info);
  const about = state ? state.word : node.isGone || node.type === "gateway" ? afar(node) : node.kind;
  const joined = node.links.map((one) => (node.type === "gateway" ? one.service : one.gateway).name);
  const spoken = `${node.type === "gateway" ? "Gateway" : "Service"} ${node.name}, ${about}${node.isOwn ? "" : ", not joined by this service"}; ${joined.length ? `with ${joined.join(", ")}` : "nobody is connected"}${step ? `; stop ${step} of the way` : ""}${time === undefined ? "" : `; on the way after ${milliseconds(time)}`}`;
  return html`<button class=${`map-node ${node.type} ${node.isOwn ? "" : "foreign"} ${look}`} style=${place} onClick=${onOpen}>
    <span class="unseen">${visible(spoken, 400)}</span>
    ${step && html`<span class="map-step" aria-hidden="true">${step}</span>`}
    ${time !== undefined && html`<span class="map-time" aria-hidden="true">${milliseconds(time)}</span>`}
    <b class="ellipsis" aria-hidden="true"><${Text} text=${node.name} title=${node.name} /></b>
    <span class=${`ellipsis ${state ? state.tone : "soft"}`} aria-hidden="true">${state && `${state.sign} `}${about}</span>
  </button>`;
}

// The rates of a link as arrows: `→` is the way to the right.
function Link({ link, look, place, flip, onOpen }) {
  const { tone, sign } = link.side ? STATES[link.state] : { tone: "soft", sign: STATES[link.state].sign };
  const badges = badgesOf(link);
  return html`<button class=${`map-link ${link.state} ${link.side ? "" : "foreign"} ${look}`} style=${place} onClick=${onOpen}>
    <span class="unseen">${visible(spokenOf(link), 400)}</span>
    <span class="nowrap" aria-hidden="true"><span class=${tone}>${sign}</span> ${!link.side ? "" : link.state === "up" ? shownRates(link, flip) : html`<span class=${tone}>${link.state}</span>`}</span>
    ${badges.length > 0 && html`<span class="map-badges" aria-hidden="true">${badges.map(([n, what, kind]) => html`<span key=${what} class=${`badge ${kind}`} title=${`${count(n)} ${what}`}>${short(n)} ${kind === "bad" ? "aside" : "wait"}</span>`)}</span>`}
  </button>`;
}

const short = (n) => (n < 1000 ? n : n < 100_000 ? `${Math.floor(n / 1000)}k` : "∞");

function shownRates({ inward, outward }, flip) {
  if (inward === null) return html`<span class="soft">…</span>`;
  if (!inward && !outward) return html`<span class="soft">0/s</span>`;
  const [right, left] = flip ? [outward, inward] : [inward, outward];
  return `${left ? `←${rate(left)}` : ""} ${right ? `${rate(right)}→` : ""}`.trim();
}

function spokenOf({ gateway, service, side, state, inward, outward }) {
  const ends = `Link of ${gateway.name} with ${service.name}, ${side ? state : afar({ isGone: state !== "up" })}`;
  if (!side) return ends;
  const rates = inward === null ? "" : `${rate(inward)} events a second from the service, ${rate(outward)} into it, `;
  return `${ends}: ${rates}${count(side.waiting)} waiting, ${count(side.set_aside)} set aside${side.cause ? `; ${side.cause}` : ""}`;
}

const Legend = () => html`<p class="map-legend">
  ${Object.entries(STATES).map(([state, { tone, sign }]) => html`<span key=${state}><svg aria-hidden="true" width="26" height="8"><path class=${`line ${state}`} d="M0 4H26" stroke-width="2" /></svg> <span class=${tone} aria-hidden="true">${sign}</span> ${state}</span>`)}
  <span>← → events a second</span><span>dashed: of other services</span>
</p>`;
