// What is being written, in the memory of this tab: other pages can be visited meanwhile.
import { cell, useCell } from "../../lib/cell.js";

const EMPTY = {
  text: "",
  types: [], // patterns as the service has them
  typed: "", // the same as they were typed
  opened: "", // which constraint of a filter it began with
  sample: "", // an event as JSON
  event: null, // where the sample comes from: {channel, name, seq, arrival}
};

const draft = cell(EMPTY);

export const useDraft = () => useCell(draft);

export const edit = (changes) => draft.set({ ...draft.value, ...changes });

export const current = () => draft.value;

export const shownType = (one) => (typeof one === "string" ? one : `${one.domain}::${one.type}`);

export const typesIn = (typed) => typed.split(",").map((one) => one.trim()).filter(Boolean);

// Shows a constraint that the service has.
export const begin = (constraint, opened) =>
  edit({ text: constraint.text, types: constraint.types, typed: constraint.types.map(shownType).join(", "), opened });
