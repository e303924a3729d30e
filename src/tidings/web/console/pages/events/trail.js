// The way of one event, drawn as a path: supplier → filters → queues → outcomes.
//
// What became of each copy is what the journal says (its fate); filters are judged by the rules of today.
import { count, plural, time } from "../../lib/format.js";
import { useLive } from "../../lib/live.js";
import { ask } from "../../lib/service.js";
import { Failed, Loading } from "../../lib/states.js";
import { Name, Text } from "../../lib/text.js";
import { html, useEffect, useState } from "../../lib/ui.js";

const MOST = 50; // consumers drawn
const MOST_JUDGED = 1_000; // with more consumers, filters are judged when somebody asks

const TONES = { delivered: "good", waiting: "open", in_flight: "open", not_recorded: "unsure", not_found: "unsure" };
const STAYS = new Set(["waiting", "in_flight"]);

export function Trail({ channel, number, delivered }) {
  const fate = useLive(`/v1/channels/${channel.id}/events/${number}/fate?most=${MOST}`, { every: 5 });
  useEffect(() => { if (fate.data?.complete === false) fate.refresh(); }, [fate.data]);
  const [judged, judge] = useJudgement(channel, delivered?.event);
  return html`<h3>What became of it</h3>
    ${fate.error ? html`<${Unseen} error=${fate.error} />` : fate.loading ? html`<${Loading} />`
      : html`<${Fate} fate=${fate.data} delivered=${delivered} judged=${judged} />`}
    ${!judged && delivered && !fate.error && html`<p><button class="small" onClick=${judge}>Judge it by the filters of today</button></p>`}`;
}

function Unseen({ error }) {
  if (error.code === "not_found") return html`<p class="soft"><${Text} text=${error.message} most=${300} /></p>`;
  return error.status === 403 ? html`<p class="soft">Who got it is for those who may inspect the channel.</p>` : html`<${Failed} error=${error} />`;
}

function Fate({ fate, delivered, judged }) {
  const lanes = lanesOf(fate.copies, judged?.trail?.steps ?? [], judged?.names);
  return html`
    ${fate.record === "kept" && html`<p class="soft">${judged?.trail ? `Filters are judged by the rules of today${fate.plan === fate.rules ? ", which are those it came under" : `: version ${fate.rules}; it came under version ${fate.plan}`}.` : ""}</p>`}
    <${Path} start=${delivered?.producer ?? "Supplier"} about=${fate.arrival ? `accepted ${time(fate.arrival)}, rules of version ${fate.plan}` : ""} lanes=${lanes} judged=${judged} outcomes />
    ${lanes.length === 0 && fate.record === "kept" && html`<p class="soft">It was for nobody.</p>`}
    ${sum(fate.counts) > fate.copies.length && html`<p class="soft">In all: ${Object.entries(fate.counts).map(([state, n]) => `${count(n)} ${wordsOf(state)}`).join(", ")}.</p>`}
    ${judged?.error && html`<p class="soft">The filters could not be judged: <${Text} text=${judged.error.message} most=${300} /></p>`}
    ${fate.unknown.map((sentence) => html`<p class="soft" key=${sentence}>${sentence}</p>`)}`;
}

const sum = (counts) => Object.values(counts).reduce((all, one) => all + one, 0);
const wordsOf = (state) => state.replaceAll("_", " ");

// One lane for each consumer: those with a copy, then those of today without one. Of these, who has no name and would
// get it has come since, as this page's own list of live events has, or left no trace.
export function lanesOf(copies, steps, names = new Map()) {
  const verdicts = new Map(steps.filter((step) => step.stage === "consumer").map((step) => [step.proxy, step]));
  const has = new Set(copies.map((copy) => copy.proxy));
  const others = [...verdicts.values()].filter((step) => !has.has(step.proxy) && (!copies.length || !step.passed || names.get(step.proxy)))
    .sort((a, b) => b.passed - a.passed);
  return [
    ...copies.map((copy) => ({ proxy: copy.proxy, name: copy.name || names.get(copy.proxy), copy, step: verdicts.get(copy.proxy) })),
    ...others.map((step) => ({ proxy: step.proxy, name: names.get(step.proxy), step })),
  ];
}

// The drawing; `outcomes` says whether there are any, or only verdicts.
export function Path({ start, about, lanes, judged, outcomes }) {
  const stopped = judged?.trail?.steps.find((step) => step.stage !== "consumer" && !step.passed);
  return html`<div class="path">
    <p class="path-start"><span class="knot good"></span><b><${Text} text=${start} /></b> <span class="soft">${about}</span></p>
    ${stopped && html`<p class="path-start"><span class="knot bad"></span>Today the channel would not accept it: <${Text} text=${stopped.reason} most=${300} /></p>`}
    <ol>${lanes.slice(0, MOST).map((lane) => html`<${Lane} key=${lane.proxy} ...${lane} outcomes=${outcomes} />`)}</ol>
    ${lanes.length > MOST && html`<p class="soft">And ${plural(lanes.length - MOST, "more consumer")}.</p>`}
  </div>`;
}

function Lane({ proxy, name, copy, step, outcomes }) {
  const queue = copy && (STAYS.has(copy.state) ? wordsOf(copy.state) : "passed");
  return html`<li>
    <p class="lane-name"><${Name} name=${name} kind="consumer" id=${proxy} /></p>
    <p class=${copy || step?.passed ? "stations" : "stations ended"}>
      <${Station} tone=${step ? (step.passed ? "good" : "bad") : "unsure"} text=${step ? (step.passed ? "filters pass" : "filters stop it") : "filters not judged"} title=${step?.reason} />
      ${copy ? html`<${Station} tone=${STAYS.has(copy.state) ? "open" : "good"} text=${queue} />
          ${STAYS.has(copy.state) ? html`<${Station} tone="none" text="" />` : html`<${Station} tone=${TONES[copy.state] ?? "bad"} text=${wordsOf(copy.state)} at=${copy.at} />`}`
        : step?.passed && html`<${Station} tone=${outcomes ? "unsure" : "open"} text=${outcomes ? "no copy known" : told(step)} />`}
    </p>
    ${copy?.earlier.length > 0 && html`<p class="lane-note">Before: ${copy.earlier.map((one) => `${wordsOf(one.state)} ${time(one.at)}`).join(", ")}; then delivered again.</p>`}
    ${copy?.letter && html`<p class="lane-note">Dead letter ${copy.letter}.</p>`}
    ${step && !step.passed && html`<p class="lane-note"><${Text} text=${step.reason} most=${300} />${copy && " – as of today"}</p>`}
  </li>`;
}

const told = (step) => [`priority ${step.priority}`, step.start && `from ${time(step.start)}`, step.expiry && `until ${time(step.expiry)}`].filter(Boolean).join(", ");

const Station = ({ tone, text, at, title }) => html`<span class=${`station ${tone}`} title=${title}>
  <span class=${`knot ${tone}`} aria-hidden="true"></span><span>${text}${at ? html` <span class="soft">${time(at)}</span>` : ""}</span></span>`;

// [{trail, names, error}, judge]: what the filters of today say of an event; at once if there are few.
function useJudgement(channel, event) {
  const [judged, show] = useState(null);
  const judge = () => judgement(channel, event).then(show, (error) => show({ error }));
  useEffect(() => {
    show(null);
    if (event && channel.consumers <= MOST_JUDGED) judge();
  }, [channel.id, event]);
  return [judged, judge];
}

export async function judgement(channel, event) {
  const trail = await ask("POST", `/v1/channels/${channel.id}/dry-run`, { event });
  const known = channel.consumers <= MOST_JUDGED ? await ask("GET", `/v1/channels/${channel.id}/proxies`) : { proxies: [] };
  return { trail, names: new Map(known.proxies.map((one) => [one.id, one.name])) };
}
