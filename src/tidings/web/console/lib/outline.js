// GET /v1/outline: all objects in columns, made easy to read, with rates between two looks.
import { ask } from "./service.js";

const ROWS_A_SECOND = 400;

// After how many seconds so many rows may be loaded again: what is much is loaded less often.
export const pace = (rows, least = 5) => Math.max(least, rows / ROWS_A_SECOND);

// Reads columns of a table: words are looked up, everything else is as it is.
export function column(values) {
  if (Array.isArray(values)) return (row) => values[row];
  return (row) => values.words[values.at[row]];
}

// A function that loads the outline, and remembers the last one to tell rates; `inside` false leaves
// admins and proxies out.
export function outlineLoader({ inside = true } = {}) {
  let before = null;
  return async () => {
    const found = await ask("GET", `/v1/outline?inside=${inside}`);
    const seconds = before ? Math.max(0.001, (found.now - before.now) / 1e6) : 0;
    found.channels.rate = rates(found.channels.id, found.channels.accepted, before?.channels, seconds);
    const ids = (table) => table.id.map((id, row) => `${table.channel[row]}/${id}`);
    const keys = ids(found.proxies);
    found.proxies.rate = rates(keys, found.proxies.taken, before?.proxies, seconds);
    const kept = (known, counts) => new Map(known.map((key, row) => [key, counts[row]]));
    before = { now: found.now, channels: kept(found.channels.id, found.channels.accepted), proxies: kept(keys, found.proxies.taken) };
    return found;
  };
}

function rates(keys, counts, before, seconds) {
  if (!seconds) return keys.map(() => null);
  return keys.map((key, row) => (before.has(key) ? Math.max(0, counts[row] - before.get(key)) / seconds : null));
}
