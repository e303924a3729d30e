// What this page has done: one line for each action, in the memory of this tab.
import { cell } from "./cell.js";
import { now } from "./clock.js";

const MOST = 1_000;

export const lines = cell([]);

// {what, result, ok, curl, call}
export function note(line) {
  lines.set([{ ...line, time: now() * 1000 }, ...lines.value].slice(0, MOST));
}
