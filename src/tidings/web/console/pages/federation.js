// The federation: which services the gateways join, how each link does, and where events go.
import { act } from "../lib/actions.js";
import { copyText } from "../lib/copying.js";
import { plural } from "../lib/format.js";
import { federationLoader, markedBy } from "../lib/federation.js";
import { useLive } from "../lib/live.js";
import { Page } from "../lib/page.js";
import { PathNames } from "../lib/path.js";
import { change } from "../lib/router.js";
import { Empty, Loaded } from "../lib/states.js";
import { html, useEffect, useMemo, useState } from "../lib/ui.js";
import { Details } from "./federation/details.js";
import { FederationList } from "./federation/list.js";
import { FederationMap, told } from "./federation/map.js";
import { Trace } from "./federation/trace.js";

const EVERY = 2;
const NARROW = matchMedia("(max-width: 720px)");
const VIEWS = { map: ["Map", FederationMap], list: ["List", FederationList] };
const FIRST = "tidings gateway create tower --side 'r roads tidings channel=roads' --side 'm plant mqtt host=10.0.0.7'";

export default function Federation({ query }) {
  const found = useLive(useMemo(federationLoader, []), { every: EVERY, key: "federation" });
  const isNarrow = useNarrow();
  const view = isNarrow ? "list" : query.view in VIEWS ? query.view : "map";
  const has = found.data?.gateways.length > 0;
  const actions = html`${has && !isNarrow && html`<div class="segments event-tabs" role="group" aria-label="How to show it">
      ${Object.entries(VIEWS).map(([id, [word]]) => html`<button key=${id} aria-pressed=${view === id} onClick=${() => change({ view: id })}>${word}</button>`)}</div>`}
    ${has && html`<button onClick=${() => act("create_gateway")}>Create a gateway</button>`}`;
  return html`<${Page} title="Federation" about=${has && aboutOf(found.data)} actions=${actions}>
    <${Loaded} of=${found} empty=${(data) => !data.gateways.length && html`<${None} />`}>
      ${(data) => html`<${Shown} graph=${data} query=${query} View=${VIEWS[view][1]} />`}<//>
  <//>`;
}

function aboutOf(graph) {
  const bad = [...graph.links.values()].filter((one) => one.side && one.state !== "up").length;
  return `${told(graph)}${bad ? `; ${plural(bad, "link is", "links are")} not up` : ""}`;
}

const None = () => html`<${Empty} title="No gateways yet">A gateway joins this service with other event services: events that one of them wants come to it from all of them.
  Make a first one here, or on the command line:
  <span class="first-gateway"><code>${FIRST}</code> <button class="small" onClick=${() => copyText(FIRST, "CLI")}>Copy</button></span>
  <button class="primary" onClick=${() => act("create_gateway")}>Create a gateway</button><//>`;

function useNarrow() {
  const [is, set] = useState(NARROW.matches);
  useEffect(() => {
    const look = () => set(NARROW.matches);
    NARROW.addEventListener("change", look);
    return () => NARROW.removeEventListener("change", look);
  }, []);
  return is;
}

function Shown({ graph, query, View }) {
  const [probed, setProbed] = useState(null);
  const path = query.path ? query.path.split(",") : [];
  const way = probed ?? (path.length ? { system: query.system ?? "", steps: stepsOf(path) } : null);
  const marked = way && markedBy(way.steps, way.system, graph);
  const open = (id, focus) => {
    change({ at: id });
    if (focus) requestAnimationFrame(() => document.querySelector("#details h2")?.focus());
  };
  return html`
    ${!probed && path.length > 0 && html`<p class="way">Where an event went: <${PathNames} path=${path} />
      <button class="small" onClick=${() => change({ path: "", system: "" })}>Clear</button></p>`}
    <${View} graph=${graph} chosen=${query.at} marked=${marked} onOpen=${open} />
    ${query.at && html`<${Details} graph=${graph} id=${query.at} onOpen=${open} />`}
    <${Trace} graph=${graph} from=${query.from ?? ""} to=${query.to ?? ""} way=${way} onWay=${setProbed} />`;
}

// An event that was published where it is looked at has been nowhere else: that is no step.
const stepsOf = (path) => (path.length === 1 ? [{ at: path[0], to: path[0] }] : path.slice(1).map((to, at) => ({ at: path[at], to })));
