// Past events of a channel, searched by a constraint from a number or a time on.
import { parseExact } from "../../lib/exact.js";
import { count, plural } from "../../lib/format.js";
import { ask, Away } from "../../lib/service.js";
import { Empty, Failed, Loading } from "../../lib/states.js";
import { html, useEffect, useRef, useState } from "../../lib/ui.js";
import { Constraint, isSyntax, queryOf } from "./constraint.js";
import { EventList } from "./list.js";

const PAGE = 200;

export function History({ channel, chosen, onOpen }) {
  const [asked, setAsked] = useState({ filter: "", from: "" });
  const [from, setFrom] = useState("");
  const [starts, setStarts] = useState([null]); // where the pages up to the shown one begin; null is the beginning
  const found = useSearch(channel, asked, starts.at(-1));
  const search = (filter) => {
    setAsked({ filter, from: from.trim() });
    setStarts([null]);
  };
  const isTime = found.error?.status === 400 && Boolean(asked.from); // the start is what the service could not read
  return html`
    <div class="bar">
      <${Constraint} value=${asked.filter} fault=${found.error} isAside=${isTime} onApply=${search}>
        <input class="from" aria-invalid=${isTime ? "true" : null} aria-label="From a number or a time on" placeholder="From number or time" value=${from} onInput=${(event) => setFrom(event.target.value)} />
      <//>
    </div>
    ${found.error && !isTime && !isSyntax(found.error) ? html`<${Failed} error=${found.error} />` : !found.error && html`<${Result} found=${found} id=${channel.id} chosen=${chosen} onOpen=${onOpen} />`}
    <div class="bar">
      <button disabled=${starts.length < 2} onClick=${() => setStarts(starts.slice(0, -1))}>Earlier</button>
      <button disabled=${found.end || found.searching || Boolean(found.error)} onClick=${() => setStarts([...starts, found.next])}>Later</button>
      ${found.searching && html`<button onClick=${found.stop}>Stop</button>`}
      ${!found.error && html`<span class="soft" role="status">${told(found)}</span>`}
    </div>`;
}

function told({ rows, searching, next, last, end }) {
  const events = rows.filter((row) => row.number).length;
  if (searching) return `Searching: ${plural(events, "event")} found up to number ${count(next)} of ${count(last)}.`;
  return `${plural(events, "event")}, searched up to number ${count(next)}${end ? ", the latest" : ` of ${count(last)}`}.`;
}

function Result({ found, chosen, onOpen }) {
  if (found.rows.length)
    return html`<${EventList} id="history" label="Past events, the oldest first" rows=${found.rows} chosen=${chosen} onOpen=${onOpen} />`;
  return found.searching ? html`<${Loading} />`
    : html`<${Empty} title="No events found">Only Persistent events are kept, for as long as retention allows.<//>`;
}

// One page of matching events: several requests, because each looks at a limited part of the journal.
function useSearch(channel, asked, after) {
  const [found, show] = useState(NOTHING);
  const stop = useRef(() => {});
  useEffect(() => {
    let ended = false;
    stop.current = () => { ended = true; };
    show(NOTHING);
    search(channel, asked, after, (state) => ended || show(state), () => ended).catch((error) => {
      if (!ended) show({ ...NOTHING, searching: false, end: true, error });
      if (!(error.status || error instanceof Away)) console.error(error);
    });
    return () => stop.current();
  }, [channel.id, asked, after]);
  const halt = () => {
    stop.current();
    show((before) => ({ ...before, searching: false }));
  };
  return { ...found, stop: halt };
}

const NOTHING = { rows: [], searching: true, next: 0, last: 0, end: false, error: null };

async function search(channel, asked, after, show, isEnded) {
  const rows = [];
  for (let at = after; ;) {
    const most = PAGE - rows.filter((row) => row.number).length;
    const query = queryOf(asked.filter, { most, ...(at === null ? startOf(asked.from) : { after: at }) });
    const page = await ask("GET", `/v1/channels/${channel.id}/events?${query}`, undefined, parseExact);
    for (const [first, last] of page.lost) rows.push({ note: `Destroyed by damage on the disk: ${first === last ? first : `${first} to ${last}`}.`, key: `lost-${first}`, before: first });
    rows.push(...page.events.map((event) => ({ number: event.seq, event })));
    rows.sort((a, b) => (a.number ?? a.before) - (b.number ?? b.before));
    at = page.next;
    const more = !page.end && rows.length < PAGE && !isEnded();
    show({ ...NOTHING, rows: [...rows], searching: more, next: page.next, last: page.last, end: page.end });
    if (!more) return;
  }
}

// A number is that of the first event; everything else is a time, which the service reads.
const startOf = (from) => (/^\d{1,15}$/.test(from) ? { after: Math.max(0, Number(from) - 1) } : from ? { since: from } : {});
