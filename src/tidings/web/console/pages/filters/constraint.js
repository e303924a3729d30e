// The constraint itself: the editor, what the service says of it while somebody types, and what can be made of it.
import { act } from "../../lib/actions.js";
import { Editor } from "../../lib/editor.js";
import { indexOf, STANDARD } from "../../lib/etcl.js";
import { hasHidden, plural, visible } from "../../lib/format.js";
import { Section } from "../../lib/page.js";
import { change } from "../../lib/router.js";
import { Text } from "../../lib/text.js";
import { html, useCallback, useMemo, useState } from "../../lib/ui.js";
import { edit, shownType, typesIn, useDraft } from "./draft.js";
import { Picker } from "./picker.js";

export function Constraint({ checked, isValid, seen, offered, channel, isOpened }) {
  const { text, types, typed, sample } = useDraft();
  const [picking, setPicking] = useState(false);
  const choices = useChoices(seen.data, offered, sample);
  const fresh = checked.of !== null && JSON.parse(checked.of)[0] === text;
  const marks = useMemo(() => (fresh ? marksIn(text, checked.data?.remarks ?? []) : []), [fresh, text, checked.data]);
  const constraint = { text, types };
  const create = () => act("create_filter", { values: { constraints: [constraint] }, onDone: ({ id }) => change({ filter: id, constraint: "" }) });
  const addTo = ({ at, what }) => act("create_filter", {
    what, values: { constraints: [constraint] }, onDone: ({ id }) => act("add_filter", { at, what, values: { filter: id } }),
  });
  return html`<${Section} title="Constraint" actions=${html`<small>Ctrl+Space completes a name</small>`}>
    <${Editor} text=${text} onText=${(next) => edit({ text: next })} choices=${choices} marks=${marks} label="Constraint"
      invalid=${fresh && checked.data?.valid === false} describedby="constraint-said" />
    <div id="constraint-said" class="said" aria-live="polite"><${Said} text=${text} checked=${checked} seen=${seen.data} /></div>
    <div class="field"><label for="constraint-types">Event types <span class="soft">separated by commas; none for all</span></label>
      <input id="constraint-types" value=${typed} placeholder="Traffic::Speed, Traffic::*" spellcheck=${false} list="constraint-offered"
        onInput=${(event) => edit({ typed: event.target.value, types: typesIn(event.target.value) })} />
      <datalist id="constraint-offered">${typesOf(offered).map((one) => html`<option key=${one} value=${one} />`)}</datalist></div>
    ${!isOpened && html`<p class="actions"><button class="primary" disabled=${!isValid} onClick=${create}>Create a filter…</button>
      <button disabled=${!isValid} onClick=${() => setPicking(true)}>Add to an object…</button></p>`}
    ${picking && html`<${Picker} channel=${channel} onClose=${() => setPicking(false)} onPick=${addTo} />`}
  <//>`;
}

// The service's own words: the error, or what it understood and what seems odd.
function Said({ text, checked, seen }) {
  if (hasHidden(text)) return html`<p class="warn">It has characters that cannot be seen: <code>${visible(text, 400)}</code></p>`;
  if (checked.error) return html`<p class="fault">${visible(checked.error.message, 1000)}</p>`;
  if (!checked.data) return html`<p class="soft">Checking…</p>`;
  const { valid, printed, remarks } = checked.data;
  return html`${valid && html`<p class="good">${understood(text, printed)}</p>`}
    ${remarks.map((one) => html`<p key=${`${one.position} ${one.problem}`} class=${one.level === "error" ? "fault" : "warn"}>
      <b>${one.level === "error" ? "Error" : "Warning"}</b> at line ${one.line}, column ${one.column}: ${visible(one.problem, 400)}${one.hint && html`<span class="soft"> – ${visible(one.hint, 400)}</span>`}</p>`)}
    ${valid && remarks.length > 0 && seen?.complete && html`<small>Names are compared with those of the latest ${plural(seen.events, "event")}.</small>`}`;
}

function understood(text, printed) {
  if (!text.trim()) return "Valid: an empty constraint matches every event.";
  if (text.trim() === printed) return html`Valid<span class="soft">, read as it is written.</span>`;
  return html`Valid<span class="soft">, read as</span> <code><${Text} text=${printed} most=${2000} /></code>`;
}

// An error is marked from its place to the end of the word; a warning likewise.
function marksIn(text, remarks) {
  return remarks.map((one) => {
    const start = indexOf(text, one.position);
    return { start, end: start + Math.max(1, /^\$?\w*/.exec(text.slice(start))[0].length), tone: one.level };
  });
}

const typesOf = (offered) => [...new Set([...(offered?.offered ?? []), ...(offered?.wanted ?? [])].map(shownType))].filter((one) => !hasHidden(one));

// What names, domains and types can be completed to: what the latest events have, the sample, and what every event has.
function useChoices(seen, offered, sample) {
  const names = useMemo(() => {
    const found = new Map((seen?.properties ?? []).map((one) => [one.name,
      { name: one.name, about: `${one.kinds.join(" or ") || "several kinds"}, in ${plural(one.events, "event")}` }]));
    for (const name of namesIn(sample)) if (!found.has(name)) found.set(name, { name, about: "in the sample" });
    for (const one of STANDARD) if (!found.has(one.name)) found.set(one.name, one);
    return [...found.values()];
  }, [seen, sample]);
  const types = useMemo(() => typesOf(offered).map((one) => one.split("::")), [offered]);
  return useCallback((kind) => {
    if (kind === "name") return names;
    const words = types.map((parts) => (kind === "domain" ? parts[0] : parts.slice(1).join("::"))).filter((one) => one && !one.includes("*"));
    return [...new Set(words)].map((name) => ({ name, about: `${kind} offered or wanted` }));
  }, [names, types]);
}

function namesIn(sample) {
  try {
    const { header, data } = JSON.parse(sample);
    return [...Object.keys(header ?? {}), ...Object.keys(data ?? {})].filter((one) => /^[a-z_]\w*$/i.test(one));
  } catch {
    return [];
  }
}
