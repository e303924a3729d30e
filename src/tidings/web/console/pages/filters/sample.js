// A sample event, and what the constraint does with it: the value of every part, as a tree.
import { useAnswer } from "../../lib/asking.js";
import { plural, time, visible, visibleLines } from "../../lib/format.js";
import { parseExact } from "../../lib/exact.js";
import { Section } from "../../lib/page.js";
import { address } from "../../lib/router.js";
import { ask } from "../../lib/service.js";
import { Empty } from "../../lib/states.js";
import { Text } from "../../lib/text.js";
import { html } from "../../lib/ui.js";
import { edit, useDraft } from "./draft.js";

const TEMPLATE = { domain: "Traffic", type: "Speed", name: "car-7", header: { Priority: 3 }, data: { rate: 57.5, zone: "school", zones: [17, 4] } };

// What cannot be seen is escaped, as JSON may be.
const asText = (event) => visibleLines(JSON.stringify(event, null, 2), Infinity);

// Shows an event of a channel as the sample.
export async function openEvent(channel, seq) {
  const found = await ask("GET", `/v1/channels/${channel.id}/events?after=${seq - 1}&most=1`, undefined, parseExact);
  const [one] = found.events.filter((each) => each.seq === seq);
  if (!one) throw new Error(`Event ${seq} is not kept any more.`);
  edit({ sample: asText(one.event), event: { channel, seq, arrival: one.arrival } });
}

export function Sample({ isValid }) {
  const { text, types, sample, event } = useDraft();
  const { value, fault } = read(sample);
  const at = event?.arrival ?? null;
  const explained = useAnswer(isValid && value ? JSON.stringify([text, types, sample, at]) : null,
    () => ask("POST", "/v1/constraints/explain", { text, types, event: value, at }));
  return html`<${Section} title="What it does with an event">
    <${Explained} answer=${explained} isValid=${isValid} hasSample=${Boolean(value)} />
    <div class="field"><label for="sample">Sample event <span class="soft"><${Origin} event=${event} sample=${sample} /></span></label>
      <textarea id="sample" class="sample" rows=${Math.min(16, Math.max(9, sample.split("\n").length))} spellcheck=${false} value=${sample} aria-invalid=${Boolean(fault)} aria-describedby="sample-fault"
        placeholder=${asText(TEMPLATE)} onInput=${(typed) => edit({ sample: typed.target.value, event: null })}></textarea>
      <p class="fault" id="sample-fault">${visible(fault, 400)}</p></div>
    <p class="actions"><button class="small" onClick=${() => edit({ sample: asText(TEMPLATE), event: null })}>Use an example</button>
      <button class="small" disabled=${!value} onClick=${() => edit({ sample: asText(value) })}>Format</button></p>
  <//>`;
}

const Origin = ({ event, sample }) => (event
  ? html`event ${event.seq} of <a href=${address("objects", { at: `channel-${event.channel.id}` })}><${Text} text=${event.channel.name || `channel ${event.channel.id}`} /></a>, ${time(event.arrival)}`
  : sample ? "as typed here" : "as JSON, or chosen from the latest events");

function read(sample) {
  if (!sample.trim()) return { value: null, fault: "" };
  try {
    const value = parseExact(sample);
    return value && typeof value === "object" && !Array.isArray(value) ? { value, fault: "" } : { value: null, fault: "An event is a JSON object." };
  } catch (error) {
    return { value: null, fault: `This is not JSON: ${error.message}` };
  }
}

function Explained({ answer, isValid, hasSample }) {
  if (!hasSample) return html`<${Empty} title="No sample yet">Choose one of the latest events, or type one: every part of the constraint is shown with its value.<//>`;
  if (answer.error) return html`<p class="problem" role="alert">${visible(answer.error.message, 1000)}</p>`;
  if (!answer.data) return html`<p class="soft">${isValid ? "Explaining…" : "Once the constraint is valid, every part is shown with its value."}</p>`;
  const { result, verdict, parts, more } = answer.data;
  return html`<div class="explained" aria-live="polite">
    <p class="verdict"><${Mark} result=${result} word="" /> <${Text} text=${verdict} most=${1000} /></p>
    ${parts.length > 0 && html`<div class="scroll"><${Tree} parts=${parts} /></div>`}
    ${more > 0 && html`<p class="soft">${plural(more, "more part")}</p>`}
  </div>`;
}

const MARKS = { true: ["✓", "good", "TRUE"], false: ["✗", "bad", "FALSE"], error: ["!", "warn", "error"], skipped: ["–", "soft", "not reached"] };

function Mark({ result, word }) {
  const [sign, tone, usual] = MARKS[result];
  return html`<b class=${`mark ${tone}`}><span aria-hidden="true">${sign}</span> ${word ?? usual}</b>`;
}

// Parts come in the order of the tree, each with its depth.
function Tree({ parts }) {
  const root = { children: [] }, path = [root];
  for (const part of parts) {
    const node = { part, children: [] };
    path.length = part.depth + 1;
    path.at(-1).children.push(node);
    path.push(node);
  }
  return html`<${Branch} nodes=${root.children} />`;
}

const Branch = ({ nodes }) => html`<ul class="parts">${nodes.map(({ part, children }, at) => html`<li key=${at} class=${part.result === "skipped" ? "soft" : ""}>
  <span class="part-line"><code><${Text} text=${part.text} /></code> ${part.value ? html`<code>= <${Text} text=${part.value} /></code>` : html`<${Mark} result=${part.result} word=${part.error ? visible(part.error) : undefined} />`}</span>
  ${children.length > 0 && html`<${Branch} nodes=${children} />`}
</li>`)}</ul>`;
