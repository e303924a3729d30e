// One event: what is in it, and what became of it.
import { copyText } from "../../lib/copying.js";
import { parseExact } from "../../lib/exact.js";
import { count, fullTime, visible } from "../../lib/format.js";
import { useLive } from "../../lib/live.js";
import { markOf, PROPERTY } from "../../lib/marks.js";
import { PathNames } from "../../lib/path.js";
import { address } from "../../lib/router.js";
import { ask } from "../../lib/service.js";
import { Failed, Loading } from "../../lib/states.js";
import { Text } from "../../lib/text.js";
import { Facts } from "../../lib/tiles.js";
import { html, useEffect, useState } from "../../lib/ui.js";
import { lineOf, typeOf } from "./list.js";
import { Trail } from "./trail.js";

const LONGEST = 20_000;

// known: the event, if a list has it
export function Details({ channel, number, known, onClose, onAgain }) {
  const { event, error, missing } = useEvent(channel, number, known);
  const info = useLive(`/v1/channels/${channel.id}`, { every: 0 });
  return html`<section class="details" id="event" aria-label=${`Event ${number}`}>
    <header>
      <h2 tabindex="-1">Event ${count(number)}</h2>
      <button class="plain" aria-label="Close the event" onClick=${onClose}>✕</button>
    </header>
    ${error ? html`<${Failed} error=${error} />` : missing ? html`<p class="soft">The journal does not have it.</p>`
      : event ? html`<${Content} delivered=${event} origin=${info.data?.origin} onAgain=${onAgain} />` : html`<${Loading} />`}
    <${Trail} channel=${channel} number=${number} delivered=${event} />
    ${event && event.event.body !== undefined && event.event.body !== null && html`<h3>Body</h3><pre tabindex="0">${shown(event.event.body)}</pre>`}
  </section>`;
}

function useEvent(channel, number, known) {
  const [found, show] = useState({});
  useEffect(() => {
    if (known?.seq === number) return show({ event: known });
    let ended = false;
    const path = `/v1/channels/${channel.id}/events?after=${number - 1}&most=1`;
    ask("GET", path, undefined, parseExact).then(
      ({ events: [event] }) => ended || show(event?.seq === number ? { event } : { missing: true }),
      (error) => ended || show(error.status === 410 ? { missing: true } : { error }),
    );
    return () => { ended = true; };
  }, [channel.id, number]);
  return found;
}

const SHORT = 60;
const pretty = (value) => JSON.stringify(value, null, 2);

// What is short stands in one line.
function told(value) {
  const line = lineOf(value);
  return typeof value !== "string" && line.length > SHORT ? pretty(value) : line;
}

function shown(value) {
  const text = told(value);
  const lines = text.slice(0, LONGEST).split("\n").map((line) => visible(line, LONGEST));
  return html`<span class="value">${lines.join("\n")}${text.length > LONGEST && `… (${count(text.length)} characters)`}</span>`;
}

function Content({ delivered, origin, onAgain }) {
  const { event, seq, arrival, priority, producer, number } = delivered;
  return html`
    <p class="event-type"><${Text} text=${typeOf(event)} />${event.name && html` <b><${Text} text=${event.name} /></b>`}</p>
    <p class="actions">
      <button class="small" onClick=${() => copyText(pretty(event), "JSON")}>Copy as JSON</button>
      <button class="small" onClick=${() => onAgain(event)}>Use as a draft</button>
    </p>
    <${Facts} facts=${[
      ["Accepted", fullTime(arrival)], priority !== 0 && !event.header?.Priority && ["Priority", priority],
      producer !== undefined && ["Producer", html`<${Text} text=${producer} />, its number ${count(number)}`],
      ["Id", html`<code>${origin}</code>, ${seq}`]]} />
    <${Way} mark=${markOf(event.header?.[PROPERTY])} />
    <${Values} title="Header" values=${event.header} />
    <${Values} title="Data" values=${event.data} />`;
}

// Where the federation has brought it from.
const Way = ({ mark }) => mark && mark.path.length > 0 && html`<h3>Its way here</h3>
  <p class="way"><${PathNames} path=${mark.path} /> <a href=${address("federation", { path: mark.path.join(","), system: mark.system })}>Show on the map</a></p>
  <p class="soft">Published as ${count(Number(mark.number))} at <${Text} text=${mark.origin} />, in the federation <${Text} text=${[...mark.before, mark.system].join(", then ")} />.</p>`;

const Values = ({ title, values = {} }) => Object.keys(values).length > 0 && html`<h3>${title}</h3>
  <${Facts} facts=${Object.entries(values).map(([name, value]) => [html`<${Text} text=${name} />`, shown(value)])} />`;
