// How many of a channel's latest events match, and which: one becomes the sample.
import { useAnswer } from "../../lib/asking.js";
import { asCall, Copy } from "../../lib/copying.js";
import { count, plural, time } from "../../lib/format.js";
import { Section } from "../../lib/page.js";
import { ask } from "../../lib/service.js";
import { Empty, Failed } from "../../lib/states.js";
import { Text } from "../../lib/text.js";
import { toast } from "../../lib/toasts.js";
import { html, useEffect, useState } from "../../lib/ui.js";
import { current, useDraft } from "./draft.js";
import { openEvent } from "./sample.js";

const NUMBERS = [100, 1_000, 10_000];
const LISTED = 20;
const PAUSE = 500;

export function Matches({ channel, constraint, types, isValid }) {
  const [last, setLast] = useState(1_000);
  const [round, setRound] = useState(0);
  const [showing, setShowing] = useState("matching");
  const body = { text: constraint, types, last, most: LISTED };
  const found = useAnswer(channel && isValid ? JSON.stringify([body, round]) : null,
    () => ask("POST", `/v1/channels/${channel.id}/matching`, body), { pause: PAUSE, alone: true });
  const shown = useLatest(found);
  useFirstSample(channel, shown.data);
  if (!channel) return html`<${Section} title="Latest events"><${Empty} title="No channel">Without a channel there are no events to try a constraint on.<//><//>`;
  return html`<${Section} title="Latest events" actions=${html`
      <label class="inline">Last <select value=${last} onChange=${(event) => setLast(Number(event.target.value))}>${NUMBERS.map((one) => html`<option value=${one}>${count(one)}</option>`)}</select></label>
      <button class="small" disabled=${!isValid} onClick=${() => setRound(round + 1)}>Count again</button>`}>
    ${shown.error ? html`<${Failed} error=${shown.error} retry=${() => setRound(round + 1)} />`
      : shown.data ? html`<${Counted} data=${shown.data} channel=${channel} showing=${showing} setShowing=${setShowing} />
        <p class="actions"><${Copy} what="CLI" text=${asCall("count_matching", { channel: channel.id, text: constraint, ...(types.length ? { types } : {}), last })} /></p>
        ${!isValid && html`<p class="soft">For the last constraint that was valid.</p>`}`
      : html`<p class="soft">${isValid ? "Counting…" : "Once the constraint is valid, matching events are counted."}</p>`}
  <//>`;
}

// The last answer stays while a constraint is not valid.
function useLatest(found) {
  const [kept, keep] = useState({});
  useEffect(() => { if (found.of !== null) keep({ data: found.data, error: found.error }); }, [found.of, found.data, found.error]);
  return kept;
}

// Whoever has no sample yet gets the latest event that matches, or the latest of all.
function useFirstSample(channel, data) {
  useEffect(() => {
    const [one] = [...(data?.matching ?? []), ...(data?.others ?? [])];
    if (one && !current().sample) openEvent(channel, one.seq).catch(() => {}); // one can be chosen by hand
  }, [data]);
}

function Counted({ data, channel, showing, setShowing }) {
  const { events, matched, errors, since } = data;
  if (!events) return html`<${Empty} title="No events">This channel has kept none: it has had no events yet, or they are not Persistent.<//>`;
  const lists = { matching: [matched, "Matching", data.matching], others: [events - matched, "Not matching", data.others] };
  const [, , listed] = lists[showing];
  return html`<p class="matched" aria-live="polite"><b>${count(matched)}</b> of ${plural(events, "event")} match<span class="soft">, since ${time(since)}</span></p>
    <div class="meter" aria-hidden="true"><svg viewBox="0 0 100 4" preserveAspectRatio="none"><rect class="meter-matched" width=${100 * matched / events} height="4" />
      <rect class="meter-errors" x=${100 - 100 * errors / events} width=${100 * errors / events} height="4" /></svg></div>
    ${errors > 0 && html`<p class="warn">${plural(errors, "event")} had an error, such as a missing property, and did not match.</p>`}
    <div class="segments" role="group" aria-label="Which events are listed">${Object.entries(lists).map(([key, [number, word]]) => html`
      <button key=${key} aria-pressed=${showing === key} onClick=${() => setShowing(key)}>${word} (${count(number)})</button>`)}</div>
    ${listed.length ? html`<${Listed} events=${listed} channel=${channel} />` : html`<${Empty} title=${showing === "matching" ? "None matches" : "All match"}>
      ${showing === "matching" ? "The others can be opened to see why." : ""}<//>`}`;
}

function Listed({ events, channel }) {
  const { event } = useDraft();
  const open = (seq) => openEvent(channel, seq).catch((error) => toast(error.message, { bad: true }));
  const isSample = (one) => event?.seq === one.seq && event.channel.id === channel.id;
  return html`<div class="scroll"><table class="judged">
    <thead><tr><th class="n">Number</th><th>Time</th><th>Type</th><th>Name</th></tr></thead>
    <tbody>${events.map((one) => html`<tr key=${one.seq} class=${isSample(one) ? "chosen" : ""}>
      <td class="n"><button class="link" title="Use it as the sample" aria-pressed=${isSample(one)} onClick=${() => open(one.seq)}>${one.seq}</button></td>
      <td class="nowrap">${time(one.arrival)}</td>
      <td><${Text} text=${`${one.domain}::${one.type}`} most=${60} /></td>
      <td><${Text} text=${one.name} most=${60} />${one.result === "error" && html` <span class="warn">error</span>`}</td></tr>`)}
    </tbody></table></div>
    <small>A number opens its event as the sample.</small>`;
}
