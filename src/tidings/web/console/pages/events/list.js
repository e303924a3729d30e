// A list of events, one in each row; what happened to the stream stands between them.
import { count, fullTime, microsecondsOf, time } from "../../lib/format.js";
import { Rows } from "../../lib/rows.js";
import { Text } from "../../lib/text.js";
import { html } from "../../lib/ui.js";
import { parseExact } from "../../lib/exact.js";

const HEIGHT = 26;
const PAGE = 20;
const MOST = 160;

// An event as it is kept in lists: its JSON is read when somebody sees it.
export const readEvent = (row) => (row.event ??= parseExact(row.text));

// rows: [{number, text}] or [{note}]; label: for people who do not see the list
export function EventList({ rows, chosen, onOpen, label, id }) {
  const at = rows.findIndex((row) => row.number === chosen);
  const keys = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE, Home: -rows.length, End: rows.length }[event.key];
    if (step) choose(rows, at, step, onOpen);
    else if (event.key === "Enter") document.querySelector("#event h2")?.focus();
    else return;
    event.preventDefault();
  };
  const click = (event) => {
    const row = rows[event.target.closest("[data-at]")?.dataset.at];
    if (row?.number) onOpen(row);
  };
  return html`<${Rows} id=${id} rows=${rows} rowHeight=${HEIGHT} shown=${at} role="grid" aria-label=${label} aria-rowcount=${rows.length + 1} tabindex="0"
      aria-activedescendant=${at >= 0 ? `event-${chosen}` : null} onKeyDown=${keys} onClick=${click} head=${HEAD}>
    ${(row, index) => (row.note ? html`<${Note} key=${row.key} note=${row.note} index=${index} />`
      : html`<${Row} key=${row.number} row=${row} index=${index} chosen=${index === at} />`)}
  <//>`;
}

// The next event from a place on, in the direction of the step; notes are passed over.
function choose(rows, at, step, onOpen) {
  const way = Math.sign(step);
  let to = Math.min(rows.length - 1, Math.max(0, at + step));
  while (rows[to] && !rows[to].number) to += way;
  if (rows[to]) onOpen(rows[to]);
}

const HEAD = html`<div role="rowgroup" class="rows-head"><div role="row" class="event-row head">
  <span role="columnheader" class="n">Number</span><span role="columnheader">Time</span><span role="columnheader">Type</span>
  <span role="columnheader" class="wide-only">Name</span><span role="columnheader" class="wide-only">Data</span>
</div></div>`;

const Note = ({ note, index }) => html`<div role="row" class="event-row note" aria-rowindex=${index + 2}><span role="gridcell" class="ellipsis" title=${note}>${note}</span></div>`;

function Row({ row, index, chosen }) {
  const { arrival, event } = readEvent(row);
  return html`<div id=${`event-${row.number}`} data-at=${index} role="row" class=${chosen ? "event-row chosen" : "event-row"} aria-selected=${chosen} aria-rowindex=${index + 2}>
    <span role="gridcell" class="n">${count(row.number)}</span>
    <span role="gridcell" class="soft">${time(arrival)}</span>
    <span role="gridcell" class="ellipsis"><${Text} text=${typeOf(event)} most=${MOST} /></span>
    <span role="gridcell" class="ellipsis wide-only"><${Text} text=${event.name ?? ""} most=${MOST} /></span>
    <span role="gridcell" class="ellipsis mono soft wide-only"><${Text} text=${summary(event.data)} most=${MOST} /></span>
  </div>`;
}

// A value as people read it, in one line.
export function lineOf(value) {
  if (typeof value === "string") return value;
  const at = microsecondsOf(value);
  return at === undefined ? JSON.stringify(value) : fullTime(at);
}

export const typeOf = (event) => `${event.domain}::${event.type}`;

function summary(data = {}) {
  let told = "";
  for (const [name, value] of Object.entries(data)) {
    if (told.length > MOST) break;
    told += `${told && "  "}${name}=${lineOf(value)}`;
  }
  return told;
}
