// A value that several parts of the page share: components that use it are drawn again when it
// changes.
import { useEffect, useState } from "./ui.js";

export function cell(value) {
  const watchers = new Set();
  return {
    get value() { return value; },
    set(next) {
      if (next === value) return;
      value = next;
      for (const watcher of [...watchers]) watcher(value);
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

export function useCell(shared) {
  const [value, set] = useState(shared.value);
  useEffect(() => {
    set(shared.value);
    return shared.watch(set);
  }, [shared]);
  return value;
}
