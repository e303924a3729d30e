// Where the viewer is: #/objects?at=channel-3. Pages read it with useRoute and change it with go.
import { cell, useCell } from "./cell.js";

const read = () => {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { page: path, query: Object.fromEntries(new URLSearchParams(query)) };
};

export const route = cell(read());
addEventListener("hashchange", () => route.set(read()));

export const useRoute = () => useCell(route);

export function address(page, query = {}) {
  const told = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  return `#/${page}${told ? `?${told}` : ""}`;
}

export const go = (page, query) => { location.hash = address(page, query); };

// The same page with other parameters, without a new entry in the history of the browser.
export function change(query) {
  const { page, query: before } = route.value;
  history.replaceState(null, "", address(page, { ...before, ...query }));
  route.set(read());
}
