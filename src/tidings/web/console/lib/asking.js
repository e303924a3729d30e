// Answers that follow what somebody types: asked for when typing pauses.
//
//   const checked = useAnswer(text, () => ask("POST", "/v1/…", { text }));
//
// {data, error, of, asking}: `of` is the key that `data` or `error` is about. What was answered before stays until the next
// answer comes; an answer that comes late, when the key is another one, is dropped.
import { useCell } from "./cell.js";
import { Away, revived } from "./service.js";
import { useEffect, useRef, useState } from "./ui.js";

const PAUSE = 250;

// `key` is a text that says what is asked; null asks nothing. With `alone`, one question waits for the answer to the one
// before: for what is a lot of work for the service.
export function useAnswer(key, load, { pause = PAUSE, alone = false } = {}) {
  const [state, setState] = useState({ of: null });
  const running = useRef(null);
  const back = useCell(revived);
  useEffect(() => {
    if (key === null) return;
    let ended = false;
    const timer = setTimeout(async () => {
      if (alone) await running.current;
      if (ended) return;
      const mine = load().then((data) => ({ data }), (error) => (error instanceof Away ? null : { error }));
      running.current = mine;
      const found = await mine;
      if (!ended && found) setState({ ...found, of: key });
    }, pause);
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [key, back]);
  return key === null ? { of: null, asking: false } : { ...state, asking: state.of !== key };
}
