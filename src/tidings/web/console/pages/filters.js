// The workbench for constraints: write one, see at once what the service makes of it, what it does with an event and how many
// of the latest events it matches, and make a filter of it.
import { useAnswer } from "../lib/asking.js";
import { Backtest } from "../lib/backtest.js";
import { visible } from "../lib/format.js";
import { useLive } from "../lib/live.js";
import { keyOf, placeOf } from "../lib/objects.js";
import { Page } from "../lib/page.js";
import { change } from "../lib/router.js";
import { ask } from "../lib/service.js";
import { html, useMemo } from "../lib/ui.js";
import { Constraint } from "./filters/constraint.js";
import { useDraft } from "./filters/draft.js";
import { Language } from "./filters/language.js";
import { Matches } from "./filters/matches.js";
import { Opened } from "./filters/opened.js";
import { Sample } from "./filters/sample.js";

const LOOKED_AT = 200;

export default function Filters({ query }) {
  const { text, types } = useDraft();
  const channels = useLive("/v1/channels", { every: 30 });
  const channel = useMemo(() => chosen(channels.data?.channels, query.at), [channels.data, query.at]);
  const path = channel && `/v1/channels/${channel.id}`;
  const seen = useLive(`${path}/properties?last=${LOOKED_AT}`, { every: 0, when: Boolean(path) });
  const offered = useLive(`${path}/types`, { every: 0, when: Boolean(path) });
  const known = useMemo(() => kindsOf(seen.data), [seen.data]);
  const checked = useAnswer(JSON.stringify([text, known]), () => ask("POST", "/v1/constraints/check", { text, known }));
  const isValid = checked.data?.valid === true && !checked.asking;
  const filter = /^\d+$/.test(query.filter ?? "") ? Number(query.filter) : null;
  return html`<${Page} title="Filters" about="Write a constraint, and see what it does before it is a filter."
      actions=${html`<${Channels} channels=${channels.data?.channels} error=${channels.error} channel=${channel} /><${Open} filter=${filter} />`}>
    ${filter !== null && html`<${Opened} key=${filter} id=${filter} query=${query} isValid=${isValid} />`}
    <div class="workbench">
      <div class="stack">
        <${Constraint} checked=${checked} isValid=${isValid} seen=${seen} offered=${offered.data} channel=${channel} isOpened=${filter !== null} />
        <${Sample} isValid=${isValid} />
      </div>
      <div class="stack">
        <${Matches} key=${channel?.id} channel=${channel} constraint=${text} types=${types} isValid=${isValid} />
        <${Backtest} channel=${channel?.id} constraint=${isValid ? text : ""} types=${types} />
      </div>
    </div>
    <${Language} />
  <//>`;
}

// The channel of the address; otherwise the first that has a name.
function chosen(channels, at) {
  if (!channels) return null;
  const { channel } = placeOf(at).at;
  return channels.find((one) => one.id === channel) ?? channels.find((one) => one.name) ?? channels[0] ?? null;
}

// What a check may take for misspelt: nothing if there may be properties that were not seen.
function kindsOf(seen) {
  if (!seen?.complete || !seen.events) return {};
  return Object.fromEntries(seen.properties.map((one) => [one.name.replace("\\", ""), one.kinds]));
}

const Channels = ({ channels, error, channel }) => html`<label class="inline">Channel
  <select value=${channel?.id ?? ""} disabled=${!channels?.length} onChange=${(event) => change({ at: keyOf({ kind: "channel", at: { channel: Number(event.target.value) } }) })}>
    ${channels?.length ? channels.map((one) => html`<option key=${one.id} value=${one.id}>${visible(one.name, 80) || `Channel ${one.id}`}</option>`)
      : html`<option value="">${channels ? "No channels" : error ? "None to see" : "Loading"}</option>`}
  </select></label>`;

function Open({ filter }) {
  const submit = (event) => {
    event.preventDefault();
    change({ filter: new FormData(event.target).get("filter").trim(), constraint: "" });
  };
  return html`<form class="inline" onSubmit=${submit}><label class="inline">Filter
    <input key=${filter} name="filter" class="short" inputmode="numeric" pattern="\\d+" title="The id of a filter" placeholder="id" required value=${filter ?? ""} /></label>
    <button>Open</button></form>`;
}
