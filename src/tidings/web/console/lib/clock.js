// The service's clock, as its Date headers tell it: pages count from that, not from the clock of
// the viewer's machine. Times are milliseconds since 1970.

import { cell } from "./cell.js";

// What is added to the viewer's clock, in milliseconds.
export const skew = cell(0);

// The service's clock minus ours is between these.
let low = -Infinity, high = Infinity;

export function note(date, sent, received) {
  const told = Date.parse(date ?? "");
  if (Number.isNaN(told)) return;
  // A header has whole seconds: the service's clock was within one of them on the way.
  const from = told - received, to = told + 1000 - sent;
  if (from > high || to < low) [low, high] = [from, to]; // one of the clocks was set
  else [low, high] = [Math.max(low, from), Math.min(high, to)];
  skew.set(low > 0 ? low : high < 0 ? high : 0);
}

export const now = () => Date.now() + skew.value;
