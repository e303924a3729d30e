// From one service to another: what survives on the way, and a probe that goes it.
import { asCurl, asCall } from "../../lib/copying.js";
import { count, milliseconds, time, visible } from "../../lib/format.js";
import { gatewayPath } from "../../lib/federation.js";
import { useLive } from "../../lib/live.js";
import { note } from "../../lib/log.js";
import { Section } from "../../lib/page.js";
import { change } from "../../lib/router.js";
import { ask } from "../../lib/service.js";
import { Empty, Loaded } from "../../lib/states.js";
import { Text } from "../../lib/text.js";
import { html, useEffect, useRef, useState } from "../../lib/ui.js";

const LOOK = 250, PATIENCE = 10_000; // milliseconds

// The services where a probe can begin: those that a running gateway of this service joins, {name, system, gateway}.
export const startsOf = (graph) => [...graph.nodes.values()].filter((one) => one.type === "service").flatMap((one) => {
  const { gateway } = one.links.find(({ side, state, gateway: { info } }) => side && ["up", "degraded"].includes(state) && !info.problem) ?? {};
  return gateway ? [{ name: one.name, system: one.system, gateway: gateway.name, id: one.id }] : [];
});

export function Trace({ graph, from, to, way, onWay }) {
  const starts = startsOf(graph);
  const start = starts.find((one) => one.id === from);
  const ends = [...graph.nodes.values()].filter((one) => one.type === "service" && one.system === start?.system && one.id !== from);
  const end = ends.find((one) => one.id === to);
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const running = useRef();
  useEffect(() => () => { running.current = null; }, []);
  useEffect(() => {
    running.current = null;
    setBusy(false);
    setFault("");
    onWay(null);
  }, [from, to]);
  const send = async (event) => {
    event.preventDefault();
    const mine = (running.current = {});
    setBusy(true);
    setFault("");
    onWay(null);
    const isOver = () => running.current !== mine;
    try {
      const hops = await probe(start, end.name, isOver);
      if (!isOver()) onWay({ system: start.system, steps: hops, isProbe: true });
    } catch (error) {
      if (!isOver()) setFault(error.message);
    } finally {
      if (!isOver()) setBusy(false);
    }
  };
  const choice = (label, value, among, key) => html`<label>${label} <select value=${value} onChange=${(event) => change({ [key]: event.target.value, path: "" })}>
    <option value="">Choose…</option>${among.map((one) => html`<option key=${one.id} value=${one.id}>${one.name}</option>`)}</select></label>`;
  return html`<${Section} title="Trace" about="what survives from one service to another, and the way of a probe">
    <form class="line" onSubmit=${send}>
      ${choice("From", start ? from : "", starts, "from")}
      ${choice("To", end ? to : "", ends, "to")}
      <button class="primary" disabled=${!start || !end || busy}>${busy ? "On its way…" : "Send a probe"}</button>
    </form>
    ${fault && html`<p class="problem" role="alert">${visible(fault, 600)}</p>`}
    ${start && end && html`<div class="columns">
      <${Context} start=${start} to=${end.name} />
      ${way?.isProbe && html`<${Hops} hops=${way.steps} />`}
    </div>`}
  <//>`;
}

// The steps of a probe's way, when it is back; none if it is given up.
async function probe({ name, gateway }, to, isOver) {
  const body = { at: name, to }, path = gatewayPath(gateway, "/probes");
  const line = { what: `Probe from ${name} to ${to}`, curl: asCurl({ method: "POST", path, body }), call: asCall("probe_federation", { gateway, ...body }) };
  try {
    const { probe: id } = await ask("POST", path, body);
    const end = performance.now() + PATIENCE;
    while (!isOver()) {
      const { back, hops } = await ask("GET", `${path}/${encodeURIComponent(id)}`);
      if (back) {
        note({ ...line, result: `It came back after ${count(hops.length)} steps`, ok: true });
        return hops;
      }
      if (performance.now() > end) throw new Error(`The probe to ${to} has not come back within ${PATIENCE / 1000} s: a link on the way is down, or carries no control events.`);
      await new Promise((resolve) => setTimeout(resolve, LOOK));
    }
  } catch (error) {
    note({ ...line, result: error.message, ok: false });
    throw error;
  }
  return [];
}

const Hops = ({ hops }) => html`<div role="status"><h3>The probe's way</h3><div class="scroll"><table class="lines">
  <thead><tr><th>Step</th><th>Gateway</th><th>From</th><th>To</th><th class="n">After</th></tr></thead>
  <tbody>${hops.map((hop, at) => html`<tr key=${at}><td>${at + 1}</td><td><${Text} text=${hop.gateway} /></td><td><${Text} text=${hop.at} /></td><td><${Text} text=${hop.to} /></td>
    <td class="n" title=${time(hop.time)}>${milliseconds(hop.time - hops[0].time)}</td></tr>`)}</tbody>
</table></div><p class="soft">Each gateway tells the time by its own clock.</p></div>`;

const SURVIVAL = { kept: "good", partly: "warn", lost: "bad" };

function Context({ start, to }) {
  const found = useLive(`${gatewayPath(start.gateway, "/context")}?at=${encodeURIComponent(start.name)}`, { every: 10 });
  const rows = (data) => data.context.filter((one) => one.to === to);
  return html`<div><h3>What survives</h3><${Loaded} of=${found} empty=${(data) => !rows(data).length && html`<${Empty} title="No way leads there now" />`}>
    ${(data) => html`<p class="soft">Over ${rows(data)[0].gateways.map((one) => visible(one)).join(", then ")}.</p><div class="scroll"><table class="lines">
      <thead><tr><th>Of an event</th><th>Survives</th><th>Until</th></tr></thead>
      <tbody>${rows(data).map((one) => html`<tr key=${one.part}><td class="name">${one.part}</td><td class=${SURVIVAL[one.survives]}>${one.survives}</td><td><${Text} text=${one.where} /></td></tr>`)}</tbody>
    </table></div>`}<//></div>`;
}
