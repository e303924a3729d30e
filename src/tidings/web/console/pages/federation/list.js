// The same as a list, for small screens and for those who prefer one: a row for each link.
import { count, rate } from "../../lib/format.js";
import { afar, STATES, stateOf } from "../../lib/federation.js";
import { Text } from "../../lib/text.js";
import { html } from "../../lib/ui.js";

export const FederationList = ({ graph, chosen, marked, onOpen }) => html`<div class="scroll"><table class="lines stacked links">
  <thead><tr><th>Gateway</th><th>Service</th><th>State</th><th class="n">From it /s</th><th class="n">Into it /s</th><th class="n">Waiting</th><th class="n">Set aside</th></tr></thead>
  <tbody>${[...graph.nodes.values()].filter((one) => one.type === "gateway").flatMap((one) => one.links.map((link, at) =>
    html`<${Row} key=${link.id} link=${link} isFirst=${at === 0} chosen=${chosen} marked=${marked} onOpen=${onOpen} />`))}</tbody>
</table></div>`;

function Row({ link, isFirst, chosen, marked, onOpen }) {
  const { gateway, service, side, state } = link, { tone, sign } = STATES[state];
  const own = gateway.info && stateOf(gateway.info);
  const name = (node, id = node.id) => html`<button class="link" onClick=${(event) => onOpen(id, event.detail === 0)}><${Text} text=${node.name} /></button>`;
  const step = marked?.order.get(service.id);
  return html`<tr class=${[gateway.id, service.id, link.id].includes(chosen) ? "chosen" : ""}>
    <td class=${isFirst ? "name first" : "name again"}>${isFirst ? html`${name(gateway)} <span class=${own ? own.tone : "soft"}>${own ? own.word : afar(gateway)}</span>` : html`<span class="unseen">${gateway.name}</span>`}</td>
    <td class="name">${step && html`<span class="map-step">${step}</span> `}${name(service)} <span class="soft"><${Text} text=${service.kind} /></span></td>
    <td class="middle">${side ? html`<span class=${tone}><span aria-hidden="true">${sign}</span> ${state}</span> <span class="soft"><${Text} text=${side.cause} most=${160} /></span>` : html`<span class="soft">${afar({ isGone: state !== "up" })}</span>`}</td>
    ${side ? html`<td class="n">${rate(link.inward)}<span class="small-only"> /s from it</span></td><td class="n">${rate(link.outward)}<span class="small-only"> /s into it</span></td>
      <td class=${side.waiting ? "n warn" : "n soft none"}>${count(side.waiting)}<span class="small-only"> waiting</span></td><td class=${side.set_aside ? "n bad" : "n soft none"}>${count(side.set_aside)}<span class="small-only"> set aside</span></td>`
      : html`<td colspan="4"></td>`}
  </tr>`;
}
