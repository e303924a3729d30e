// The line to the alerts of one buyer. This page is the consumer: it keeps an alert, then
// acknowledges it; what it had kept before comes again after a crash, and is known by its id.
import { cell } from "/console/lib/cell.js";
import { beep } from "./sound.js";
import { kept, read } from "./kept.js";

const MOST = 200;
const AGAIN = 1_000;

export const buyer = kept("buyer", null); // {name, wish}: for whom alerts come here; null for nobody
export const alerts = cell([]); // the newest first
export const line = cell({ state: "off", problem: null }); // off, opening, open, away, refused, elsewhere
export const unseen = cell(0);

let socket = null, asked = null, timer = 0;

// Begins to take alerts; the service checks what the buyer looks for.
export function look(name, wish) {
  asked = { name, wish };
  open();
}

// Goes on where this browser stopped, as soon as somebody wants to see alerts; another tab may have them until then.
export function goOn() {
  if (!buyer.value || line.value.state !== "off") return;
  alerts.set(read(localStorage, key(buyer.value.name)) ?? []);
  look(buyer.value.name, buyer.value.wish);
}

// Deletes the subscription with all that waits for it.
export function stop() {
  socket?.send(JSON.stringify({ stop: true }));
  localStorage.removeItem(key(buyer.value.name));
  buyer.set(null);
  alerts.set([]);
  hangUp("off");
}

const key = (name) => `auction.alerts.${name}`;

function hangUp(state, problem = null) {
  clearTimeout(timer);
  const before = socket;
  socket = null;
  before?.close();
  line.set({ state, problem });
}

function open() {
  hangUp("opening");
  const mine = (socket = new WebSocket(`ws://${location.host}/api/alerts`));
  const told = asked;
  mine.onopen = () => mine.send(JSON.stringify({ buyer: told.name, wish: told.wish }));
  mine.onmessage = ({ data }) => mine === socket && hear(mine, told, JSON.parse(data));
  mine.onclose = () => {
    if (mine !== socket) return;
    line.set({ state: "away", problem: null });
    timer = setTimeout(open, AGAIN);
  };
}

function hear(mine, told, { ready, alert, problem }) {
  if (ready) {
    if (buyer.value?.name !== told.name) alerts.set(read(localStorage, key(told.name)) ?? []);
    buyer.set(told);
    line.set({ state: "open", problem: null });
  } else if (alert) {
    keep(told.name, alert);
    mine.send(JSON.stringify({ taken: alert.seq }));
  } else if (problem.code === "disconnected") {
    hangUp("elsewhere");
  } else if (problem.status < 500) {
    asked = buyer.value;
    hangUp("refused", problem);
  } // whatever else ends the line is tried again
}

function keep(name, alert) {
  if (alerts.value.some((one) => one.id === alert.id)) return;
  alerts.set([alert, ...alerts.value].slice(0, MOST));
  localStorage.setItem(key(name), JSON.stringify(alerts.value));
  if (document.hidden) unseen.set(unseen.value + 1);
  beep();
}

document.addEventListener("visibilitychange", () => document.hidden || unseen.set(0));
