// The line to the notices of one subscriber. What a person has acknowledged is acknowledged at the service; everything
// else comes again when the line is open again. What was acknowledged stays here to be read.
import { cell } from "/console/lib/cell.js";
import { ask } from "/console/lib/service.js";

const MOST_KEPT = 50;
const AGAIN = 1_000;
const WHO = "agent.subscriber";

export const subscriber = cell(localStorage.getItem(WHO) ?? "");
export const line = cell("off"); // opening, open, away, elsewhere, unknown
export const notices = cell([]); // the newest first; `acknowledged` says which a person has read
export const waiting = cell(0); // how many were not

let socket = null, timer = 0;

const keyOf = (name) => `agent.read.${name}`;

function show(all) {
  notices.set(all.sort((a, b) => b.seq - a.seq));
  waiting.set(all.filter((one) => !one.acknowledged).length);
}

// Becomes a subscriber, who has picked services before.
export function become(name) {
  localStorage.setItem(WHO, name);
  subscriber.set(name);
  show(kept(name));
  open();
}

export const goOn = () => { if (subscriber.value && line.value === "off") become(subscriber.value); };

export async function leave() {
  await ask("DELETE", `/api/subscribers/${encodeURIComponent(subscriber.value)}`, {});
  localStorage.removeItem(WHO);
  localStorage.removeItem(keyOf(subscriber.value));
  subscriber.set("");
  show([]);
  hangUp("off");
}

export function acknowledge(notice) {
  socket.send(JSON.stringify({ acknowledge: notice.seq }));
  show(notices.value.map((one) => (one.seq === notice.seq ? { ...one, acknowledged: true } : one)));
  keep();
}

function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(keyOf(name))) ?? [];
  } catch {
    return []; // somebody else has written it
  }
}

function keep() {
  const read = notices.value.filter((one) => one.acknowledged);
  for (let most = MOST_KEPT; most; most = Math.floor(most / 2)) {
    try {
      return localStorage.setItem(keyOf(subscriber.value), JSON.stringify(read.slice(0, most)));
    } catch { /* there is no room for so many */ }
  }
}

function hangUp(state) {
  clearTimeout(timer);
  const before = socket;
  socket = null;
  before?.close();
  line.set(state);
}

export function open() {
  hangUp("opening");
  const mine = (socket = new WebSocket(`ws://${location.host}/api/notices`));
  mine.onopen = () => mine.send(JSON.stringify({ subscriber: subscriber.value }));
  mine.onmessage = ({ data }) => mine === socket && hear(JSON.parse(data));
  mine.onclose = () => {
    if (mine !== socket) return;
    line.set("away");
    timer = setTimeout(open, AGAIN);
  };
}

// A notice that comes again was not acknowledged, whatever this page thought.
function hear({ ready, notice, problem }) {
  if (ready) line.set("open");
  else if (notice) show([notice, ...notices.value.filter((one) => one.seq !== notice.seq)]);
  else if (problem.code === "disconnected") hangUp("elsewhere");
  else if (problem.status === 404) hangUp("unknown");
} // whatever else ends the line is tried again
