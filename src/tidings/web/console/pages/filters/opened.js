// A filter of the service that is open in the workbench: which of its constraints is being changed.
import { act } from "../../lib/actions.js";
import { plural, visible } from "../../lib/format.js";
import { useLive } from "../../lib/live.js";
import { change } from "../../lib/router.js";
import { same } from "../../lib/schema.js";
import { Loaded } from "../../lib/states.js";
import { Text } from "../../lib/text.js";
import { html, useEffect } from "../../lib/ui.js";
import { begin, edit, useDraft } from "./draft.js";

export function Opened({ id, query, isValid }) {
  const found = useLive(`/v1/filters/${id}`, { every: 30 });
  const close = () => {
    edit({ opened: "" });
    change({ filter: "", constraint: "" });
  };
  return html`<section class="opened" aria-label="The open filter">
    <div><${Loaded} of=${found}>${(data) => html`<${Filter} data=${data} id=${query.constraint} isValid=${isValid} />`}<//></div>
    <button class="plain" aria-label="Close the filter" onClick=${close}>✕</button>
  </section>`;
}

function Filter({ data, id, isValid }) {
  const { text, types, opened } = useDraft();
  const isMapping = data.kind === "mapping";
  const constraints = data.constraints ?? data.mapped;
  const key = id in constraints ? id : Object.keys(constraints)[0];
  const stored = constraints[key], mine = `${data.id}/${key}`;
  useEffect(() => { if (stored && opened !== mine) begin(stored, mine); }, [mine, Boolean(stored)]);
  const isChanged = stored && !(stored.text === text && same(stored.types, types));
  const constraint = { text, types, ...(isMapping && stored ? { value: stored.value } : {}) };
  const what = `filter ${data.id}`;
  const save = () => act(isMapping ? "modify_mapped" : "modify_constraints", { at: { filter: data.id }, what, edits: { replace: { [key]: constraint } } });
  const add = () => act(isMapping ? "add_mapped" : "add_constraints", { at: { filter: data.id }, what, edits: { [isMapping ? "mapped" : "constraints"]: [constraint] } });
  return html`<p class="actions"><b>${isMapping ? "Mapping filter" : "Filter"} ${data.id}</b>
      <span class="soft">${data.holders ? `held by ${plural(data.holders, "object")}` : "held by nothing"}${data.owner && html`, of <${Text} text=${data.owner} />`}</span>
      ${stored && html`<label class="inline">Constraint <select value=${key} onChange=${(event) => change({ constraint: event.target.value })}>
        ${Object.entries(constraints).map(([one, { text: its }]) => html`<option value=${one}>${one}: ${visible(its, 40) || "TRUE"}</option>`)}</select></label>`}
      ${stored && html`<button class="primary" disabled=${!isValid || !isChanged} onClick=${save}>Change it…</button>`}
      <button disabled=${!isValid} onClick=${add}>Add as another…</button>
      ${isChanged && html`<button onClick=${() => begin(stored, mine)}>Revert</button>`}</p>
    ${!stored && html`<p class="soft">It has no constraints yet: every event passes.</p>`}
    ${isChanged && html`<p class="soft">The service has: <code><${Text} text=${stored.text || "TRUE"} most=${400} /></code></p>`}`;
}
