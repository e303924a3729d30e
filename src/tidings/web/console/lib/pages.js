// Lists of any length: the service gives a page of them, which begins after the last one of the page before.
//
//   const grants = usePages("/v1/grants", "grants", { query: { to: "ann" } });
//   html`<${Loaded} of=${grants}>${() => html`… ${grants.rows} … <${Pager} of=${grants} />`}<//>`
import { useLive } from "./live.js";
import { html, useEffect, useState } from "./ui.js";

const MOST = 100;

// name: the member of the answer that has the list; idOf: what the next page begins after, which the service calls `by`
export function usePages(path, name, { query = {}, idOf = (one) => one.id, by = "after", every = 10 } = {}) {
  const asked = new URLSearchParams({ ...Object.fromEntries(Object.entries(query).filter(([, value]) => value)), most: MOST });
  const base = `${path}?${asked}`;
  const [place, setPlace] = useState({ base, afters: [] });
  const afters = place.base === base ? place.afters : [];
  useEffect(() => setPlace({ base, afters: [] }), [base]); // another question begins at its first page
  const live = useLive(afters.length ? `${base}&${by}=${encodeURIComponent(afters.at(-1))}` : base, { every });
  const rows = live.data?.[name] ?? [];
  return {
    ...live, rows,
    page: afters.length + 1,
    next: rows.length === MOST ? () => setPlace({ base, afters: [...afters, idOf(rows.at(-1))] }) : null,
    before: afters.length ? () => setPlace({ base, afters: afters.slice(0, -1) }) : null,
  };
}

export const Pager = ({ of }) => (of.next || of.before) && html`<p class="pager">
  <button class="small" disabled=${!of.before} onClick=${of.before}>‹ Before</button>
  <span class="soft">Page ${of.page}</span>
  <button class="small" disabled=${!of.next} onClick=${of.next}>Next ›</button>
</p>`;

// The first rows of a list that is here already, and a button for more.
export function useMore(rows) {
  const [most, setMost] = useState(MOST);
  const more = rows.length > most && html`<p class="pager"><button class="small" onClick=${() => setMost(most + MOST)}>Show more</button>
    <span class="soft">${most} of ${rows.length}</span></p>`;
  return [rows.slice(0, most), more];
}

// Those whose text has all the words that somebody searches for.
export function having(rows, search, textOf) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return words.length ? rows.filter((one) => words.every((word) => textOf(one).toLowerCase().includes(word))) : rows;
}
