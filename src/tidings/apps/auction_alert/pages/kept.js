// A cell whose value outlives a reload of the page; in sessionStorage, it is of this tab only.
import { cell } from "/console/lib/cell.js";

export function kept(name, first, storage = localStorage) {
  const key = `auction.${name}`;
  const made = cell(read(storage, key) ?? first);
  made.watch((value) => storage.setItem(key, JSON.stringify(value)));
  return made;
}

export function read(storage, key) {
  try {
    return JSON.parse(storage.getItem(key));
  } catch {
    return null; // somebody else has written it
  }
}
