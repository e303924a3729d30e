// Data that stays fresh while somebody looks: loaded at once, every few seconds, after every
// action, and when the service is there again.
import { cell } from "./cell.js";
import { ask, Away, revived } from "./service.js";
import { useCallback, useEffect, useRef, useState } from "./ui.js";

export const changed = cell(0); // rises when an action of this page has changed something

// Who may not see something is asked less often whether it may by now: each refusal is counted.
const REFUSED = 60;

export const tellChanged = () => changed.set(changed.value + 1);

// {data, error, loading, refresh}; `load` is a path, or a function that returns a promise. `every` is a number of seconds,
// or a function that tells it from the data.
export function useLive(load, { every = 5, when = true, key = load } = {}) {
  const [state, setState] = useState({ data: undefined, error: null });
  const refused = useRef(false);
  const latest = useRef(load);
  latest.current = load;
  const running = useRef(null);
  const shownNow = useRef(undefined);
  shownNow.current = state.data;
  const refresh = useCallback(async () => {
    const mine = (running.current = {});
    try {
      const found = typeof latest.current === "function" ? await latest.current() : await ask("GET", latest.current);
      refused.current = false;
      if (running.current === mine) setState({ data: found, error: null });
    } catch (error) {
      refused.current = error.status === 403;
      // What was known stays while the service is away: the shell says that it is.
      if (running.current === mine && !(error instanceof Away)) setState({ data: undefined, error });
    }
  }, []);
  useEffect(() => {
    if (!when) return;
    let timer = 0, ended = false;
    setState((before) => (before.data === undefined && !before.error ? before : { data: undefined, error: null }));
    const round = async () => {
      if (!document.hidden) await refresh();
      const wait = typeof every === "function" ? every(shownNow.current) : every;
      if (!ended && wait) timer = setTimeout(round, (refused.current ? REFUSED : wait) * 1000);
    };
    const again = () => refresh();
    const shown = () => document.hidden || refresh();
    round();
    const unwatch = [changed.watch(again), revived.watch(again)];
    document.addEventListener("visibilitychange", shown);
    return () => {
      ended = true;
      running.current = null;
      clearTimeout(timer);
      unwatch.forEach((end) => end());
      document.removeEventListener("visibilitychange", shown);
    };
  }, [key, every, when]);
  return { ...state, loading: state.data === undefined && !state.error, refresh };
}
