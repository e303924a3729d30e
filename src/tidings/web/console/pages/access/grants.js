// A table of grants: to whom, what, where, until when.
import { act } from "../../lib/actions.js";
import { now } from "../../lib/clock.js";
import { fullTime, time } from "../../lib/format.js";
import { Text } from "../../lib/text.js";
import { html } from "../../lib/ui.js";

// A time that may be missing; of an end, whether it has come.
export function Moment({ at, ends }) {
  if (at === null || at === undefined) return html`<span class="soft nowrap">never</span>`;
  const over = ends && at <= now() * 1000;
  return html`<span class=${over ? "nowrap bad" : "nowrap"} title=${fullTime(at)}>${time(at)}${over && ", over"}</span>`;
}

export const Grants = ({ grants, revoke }) => html`<div class="scroll"><table class="lines">
  <thead><tr><th>To</th><th>What</th><th>Where</th><th>Events</th><th>Created</th><th>Ends</th><th>Last used</th>${revoke && html`<th><span class="unseen">Actions</span></th>`}</tr></thead>
  <tbody>${grants.map((one) => html`<tr key=${one.id}>
    <td class="name"><${Text} text=${one.to} /></td>
    <td class="middle">${one.verbs.join(", ")}</td>
    <td class="name">${one.channels.length ? html`<${Text} text=${one.channels.join(", ")} most=${300} />` : html`<span class="soft">the whole service</span>`}</td>
    <td class="middle">${one.types.length > 0 && html`<${Text} text=${one.types.join(", ")} most=${300} /> `}${one.constraint
      ? html`<code><${Text} text=${one.constraint} most=${300} /></code>` : one.types.length === 0 && html`<span class="soft">all</span>`}</td>
    <td><${Moment} at=${one.created_at} />${one.created_by && html` <span class="soft nowrap">by <${Text} text=${one.created_by} /></span>`}</td>
    <td class="nowrap"><${Moment} at=${one.expires_at} ends /></td>
    <td><${Moment} at=${one.used_at} />${one.used_by && html` <span class="soft nowrap">by <${Text} text=${one.used_by} /></span>`}</td>
    ${revoke && html`<td class="n"><button class="small" onClick=${() => act("revoke_grant", { at: { grant: one.id }, what: `grant ${one.id} to ${one.to}` })}>Revoke…</button></td>`}
  </tr>`)}</tbody>
</table></div>`;
