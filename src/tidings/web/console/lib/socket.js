// One proxy's line on a WebSocket of its own: frames, answers, and what happens after a cut.
//
//   const kept = keepLine({ prepare, up, down, events, ended })
//
//   prepare()    what to connect, asked before each attempt: {channel, proxy, window, again}
//   up(line)     it is connected: `line.send` frames that nobody answers, `line.ask` the others
//   down(why)    it was cut; another one is opened by itself
//   events(…)    a frame of events
//   ended(error) it is over for good: the proxy has ended, or another client has it
//
// kept.line is null while there is none; kept.close() ends it, and the proxy stays.
import { Away, connection, isThere, openSocket, Problem, revived } from "./service.js";

const NUMBER = 1; // of the only line on its socket
const FIRST_WAIT = 250, LONGEST_WAIT = 5_000;
const REFUSED = new Set([1002, 1003, 1007, 1008, 1009]); // it will not understand the same frame later

export function keepLine(on) {
  const kept = { line: null, closed: false, close() { kept.closed = true; kept.line?.close(); } };
  keep(kept, on);
  return kept;
}

async function keep(kept, on) {
  for (let wait = FIRST_WAIT; !kept.closed; wait = Math.min(LONGEST_WAIT, wait * 2)) {
    const opened = Date.now();
    let why = "";
    try {
      const asked = await on.prepare();
      if (kept.closed) return;
      const line = await openLine(asked, on.events);
      if (kept.closed) return line.close();
      kept.line = line;
      on.up(line);
      why = await line.over;
    } catch (error) {
      why = error.message;
      if (!mayComeAgain(error)) return kept.closed || end(kept, on, error);
    }
    kept.line = null;
    if (kept.closed) return;
    on.down(why);
    if (Date.now() - opened > LONGEST_WAIT) wait = FIRST_WAIT;
    await pause(wait);
  }
}

function end(kept, on, error) {
  kept.line = null;
  kept.closed = true;
  on.ended(error);
}

// Errors of the moment: the service is away, stops, or has too much to do.
const mayComeAgain = (error) => error instanceof Away || error.status >= 500 || error.status === 429;

// Waits until the service is there, and then a little.
async function pause(wait) {
  if (connection.value.state === "up") await isThere(); // so that the page says what has happened
  if (connection.value.state === "up") return new Promise((resolve) => setTimeout(resolve, wait));
  return new Promise((resolve) => {
    const unwatch = revived.watch(() => {
      unwatch();
      resolve();
    });
  });
}

// A line whose proxy is connected; `over` says why it was cut, and throws what ended it for good.
async function openLine({ channel, proxy, window, again }, events) {
  const socket = openSocket("/v1/ws");
  const asked = new Map();
  let last = 0, refusal = null, over;
  const line = {
    send: (frame) => socket.send(JSON.stringify({ ...frame, line: NUMBER })),
    ask: (frame) => new Promise((resolve, reject) => {
      asked.set(++last, { resolve, reject });
      socket.send(JSON.stringify({ ...frame, id: last }));
    }),
    close: () => socket.close(),
    over: new Promise((resolve, reject) => { over = { resolve, reject }; }),
  };
  line.over.catch(() => {}); // whoever has closed it does not ask
  const answer = (frame) => {
    const one = asked.get(frame.id);
    asked.delete(frame.id);
    if (frame.op === "error") {
      refusal = new Problem(frame.problem.status, frame.problem);
      one?.reject(refusal);
    } else one?.resolve(frame);
  };
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(data);
    if (frame.op === "events") events(frame);
    else if (frame.op === "gone") {
      over.reject(new Problem(frame.problem.status, frame.problem));
      socket.close();
    } else if ("id" in frame) answer(frame);
  };
  const closed = new Promise((resolve) => { socket.onclose = resolve; });
  closed.then(({ code, reason }) => {
    for (const one of asked.values()) one.reject(new Away());
    if (REFUSED.has(code)) over.reject(refusal ?? new Problem(400, { detail: reason }));
    else over.resolve(reason);
  });
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    closed.then(() => reject(new Away("the WebSocket could not be opened")));
  });
  try {
    await line.ask({ op: "connect", line: NUMBER, channel, proxy, window, again, notices: false });
  } catch (error) {
    socket.close();
    throw error;
  }
  return line;
}
