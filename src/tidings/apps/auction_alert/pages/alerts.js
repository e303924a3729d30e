// The line to the alerts of one buyer. This page is the consumer: it keeps an alert, then
// acknowledges it; what it had kept before comes again after a crash, and is known by its id.
import { cell } from "/console/lib/cell.js";
import { toast } from "/console/lib/toasts.js";
import { beep } from "./sound.js";
import { kept, read } from "./kept.js";

const MOST = 200;
const AGAIN = 1_000;

export const buyer = kept("buyer", null); // {name, wish}: for whom alerts come here; null for nobody
export const alerts = cell([]); // the newest first
export const line = cell("off"); // opening, open, away, elsewhere
export const refusal = cell(null); // why what a buyer looks for last was refused
export const unseen = cell(0);

let socket = null, asked = null, timer = 0;

// Begins to take alerts for {name, wish}; the service checks the wish.
export function look(given) {
  asked = given;
  refusal.set(null);
  open();
}

// Goes on where this browser stopped, once somebody wants to see alerts: another tab may have them.
export function goOn() {
  if (!buyer.value || line.value !== "off") return;
  alerts.set(read(localStorage, key(buyer.value.name)) ?? []);
  look(buyer.value);
}

// Deletes the subscription with all that waits for it; the line must be open.
export function stop() {
  socket.send(JSON.stringify({ stop: true }));
  localStorage.removeItem(key(buyer.value.name));
  buyer.set(null);
  alerts.set([]);
  hangUp("off");
}

const key = (name) => `auction.alerts.${name}`;

function hangUp(state) {
  clearTimeout(timer);
  const before = socket;
  socket = null;
  before?.close();
  line.set(state);
}

function open() {
  hangUp("opening");
  const mine = (socket = new WebSocket(`ws://${location.host}/api/alerts`));
  const told = asked;
  mine.onopen = () => mine.send(JSON.stringify({ buyer: told.name, wish: told.wish }));
  mine.onmessage = ({ data }) => mine === socket && hear(mine, told, JSON.parse(data));
  mine.onclose = () => {
    if (mine !== socket) return;
    line.set("away");
    timer = setTimeout(open, AGAIN);
  };
}

function hear(mine, told, { ready, alert, problem }) {
  if (ready) {
    if (buyer.value?.name !== told.name) alerts.set(read(localStorage, key(told.name)) ?? []);
    if (buyer.value !== told) toast("Alerts for this come from now on");
    buyer.set(told);
    line.set("open");
  } else if (alert) {
    keep(told.name, alert);
    mine.send(JSON.stringify({ taken: alert.seq }));
  } else if (problem.code === "disconnected") {
    hangUp("elsewhere");
  } else if (problem.status < 500) {
    refuse(told, problem);
  } // whatever else ends the line is tried again
}

// What the buyer looked for before goes on.
function refuse(told, problem) {
  refusal.set(problem);
  asked = buyer.value;
  if (asked && asked !== told) open();
  else hangUp("off");
}

function keep(name, alert) {
  if (alerts.value.some((one) => one.id === alert.id)) return;
  alerts.set([alert, ...alerts.value].slice(0, MOST));
  localStorage.setItem(key(name), JSON.stringify(alerts.value));
  if (document.hidden) unseen.set(unseen.value + 1);
  beep();
}

document.addEventListener("visibilitychange", () => document.hidden || unseen.set(0));
