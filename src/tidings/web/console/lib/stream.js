// Server-sent events by fetch, which can send a token as EventSource cannot.
//
//   const end = follow(path, { begin, onEvent, onNote, onState })
//
//   begin(missed)            a promise of the number to begin after; `missed` if the journal does not reach back to the last
//   onEvent({number, text})  an event, as JSON
//   onNote({kind, …})        what happened to the stream: "overflow", "again", "removed" {after}, "lost" {runs}
//   onState(state, error)    "connecting", "live", or "ended" with an error: nothing more comes
//
// A stream that breaks goes on after the last event that came, from the journal.
import { Away, connection, isThere, openStream, Problem } from "./service.js";

const FIRST_WAIT = 500, LONGEST_WAIT = 5_000;
const REMOVED = 410;

export function follow(path, on) {
  const ending = new AbortController();
  run(path, on, ending.signal).catch((error) => ending.signal.aborted || on.onState("ended", error));
  return () => ending.abort();
}

async function run(path, on, signal) {
  let after, missed = false, wait = FIRST_WAIT;
  on.onState("connecting");
  while (!signal.aborted) {
    let kind = "again";
    try {
      after ??= await on.begin(missed);
      for await (const { id, event, data } of messages(await openStream(`${path}&after=${after}`, signal), on)) {
        wait = FIRST_WAIT;
        if (event === "event") on.onEvent({ number: (after = Number(id)), text: data });
        else if (event === "lost") on.onNote({ kind: "lost", runs: JSON.parse(data) });
        else if (event === "overflow") kind = event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.status !== REMOVED) throw error;
      if (error.status === REMOVED) kind = "removed";
      else if (!(error instanceof Away)) await isThere(); // the stream has broken: is the service still there?
    }
    on.onState("connecting");
    if (kind === "again") await reachable(wait);
    wait = Math.min(LONGEST_WAIT, wait * 2);
    if (!signal.aborted) on.onNote({ kind, after });
    if (kind === "removed") [after, missed] = [undefined, true];
  }
}

async function reachable(wait) {
  await new Promise((resolve) => setTimeout(resolve, wait));
  while (connection.value.state !== "up")
    await new Promise((resolve) => {
      const end = connection.watch(() => (end(), resolve()));
    });
}

// The messages of a stream, each with its fields; it ends with the service, however that ends.
async function* messages(octets, on) {
  const reader = octets.pipeThrough(new TextDecoderStream()).getReader();
  const unwatch = connection.watch(({ state }) => state === "away" && reader.cancel());
  on.onState("live");
  try {
    let text = "", from = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      for (let end; (end = text.indexOf("\n\n", from)) >= 0; from = 0) {
        yield fieldsOf(text.slice(0, end));
        text = text.slice(end + 2);
      }
      from = Math.max(0, text.length - 1); // a long event comes in many pieces: each is searched once
    }
  } finally {
    unwatch();
    reader.cancel().catch(() => {});
  }
}

const fieldsOf = (block) => Object.fromEntries(block.split("\n").map((line) => {
  const colon = line.indexOf(": ");
  return [line.slice(0, colon), line.slice(colon + 2)];
}));
