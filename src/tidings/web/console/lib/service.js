// Requests to the service: every page makes them here.
//
//   ask("GET", "/v1/rules")     the answer's JSON; throws a Problem that the service has answered
//                               with, or Away if it does not answer at all
//   openStream("/v1/…", signal) the octets of an answer as they come, for stream.js
//   openSocket("/v1/…")         a WebSocket, for socket.js
//
// A 401 opens the login form; the request waits for it and is sent again. While the service does
// not answer, it is tried until it does; then everything shown is loaded again (`revived`).
import { cell } from "./cell.js";
import * as clock from "./clock.js";

export class Problem extends Error {
  constructor(status, told) {
    super(told.detail || `the service answered with status ${status}`);
    Object.assign(this, { status, told, code: told.code ?? "" });
  }
}

export class Away extends Error {
  constructor(why = "the service does not answer") {
    super(why);
  }
}

export const connection = cell({ state: "up", since: 0 });
export const revived = cell(0);
export const person = cell(null); // {name, mayLogOut}: whose grants apply; null if that is not known
export const login = cell(null); // what the login form needs while it is open

const PATIENCE = 30_000;
const SLOWED_DOWN = 1_000;
const FIRST_WAIT = 500, LONGEST_WAIT = 5_000;

let token = ""; // in the memory of this tab only
let logins = 0;
let isOffered = false; // whether the login form was opened without need
let loggedIn = null; // resolved when the login form has done its work
let recognition = null; // one request finds out whether a login is needed: each refusal is counted
let heard = 0;

export const needsToken = () => Boolean(token);
export const lastHeard = () => heard;

// `parse` reads the answer; by default whole numbers beyond 2^53 are rounded (exact.js does not).
export const ask = async (method, path, body, parse) => parsed(await askForText(method, path, body, "application/json"), parse);

// The same for an answer that is not JSON.
export const askForText = (method, path, body, accepted = "*/*") => admitted(async () => {
  const { status, text } = await exchange(method, path, { Accept: accepted }, body);
  return { status, data: status < 400 ? text : parsed(text) };
});

// The body of an answer that goes on, until the caller gives it up.
export const openStream = (path, signal) => admitted(async () => {
  const answer = await open("GET", path, { headers: { Accept: "text/event-stream" }, signal });
  return { status: answer.status, data: answer.ok ? answer.body : parsed(await textOf(answer)) };
});

async function admitted(request) {
  for (;;) {
    while (recognition || loggedIn) await (recognition ?? loggedIn.done);
    const before = logins;
    const { status, data } = await request();
    if (status < 400) return data;
    if (isSlowedDown(status, data)) {
      await new Promise((resolve) => setTimeout(resolve, SLOWED_DOWN));
      continue;
    }
    if (status !== 401) throw new Problem(status, data ?? {});
    // Whoever has logged in meanwhile need not do so again because of an answer that comes late.
    if (before === logins) await logIn(data?.detail ?? "");
  }
}

// Requests that were under way when a login ended count as attempts to guess it, for a moment.
const isSlowedDown = (status, data) => status === 429 && data?.code === "too_many_attempts";

async function send(method, path, body) {
  const { status, text } = await exchange(method, path, { Accept: "application/json" }, body);
  return { status, data: parsed(text) };
}

async function exchange(method, path, headers, body) {
  const isJson = body !== undefined;
  const told = isJson ? { ...headers, "Content-Type": "application/json" } : headers;
  const answer = await open(method, path, { headers: told, body: isJson ? JSON.stringify(body) : undefined, signal: AbortSignal.timeout(PATIENCE) });
  return { status: answer.status, text: await textOf(answer) };
}

async function textOf(answer) {
  try {
    return await answer.text();
  } catch {
    lost();
    throw new Away();
  }
}

// One request as whoever is logged in here, with whatever the service answers, before its body is
// read. It throws Away, or an AbortError if the caller has given it up.
export async function open(method, path, { headers = {}, body, signal } = {}) {
  const told = new Headers(headers); // refuses what no request may have
  if (token && !told.has("Authorization")) told.set("Authorization", `Bearer ${token}`);
  const sent = Date.now();
  try {
    const answer = await fetch(path, { method, headers: told, body, signal, cache: "no-store" });
    clock.note(answer.headers.get("Date"), sent, Date.now());
    found();
    return answer;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    lost();
    throw new Away();
  }
}

// A browser can set no header of its own on a WebSocket. The cookie of a session comes by itself; a
// token is offered as a subprotocol: a header like any other, and in no address, history or log of one.
export function openSocket(path) {
  const offered = token ? [`tidings.token.${token}`] : [];
  return new WebSocket(`${location.origin.replace(/^http/, "ws")}${path}`, ["tidings.v1", ...offered]);
}

function parsed(text, parse = JSON.parse) {
  try {
    return text ? parse(text) : null;
  } catch {
    return { detail: text.slice(0, 300) }; // something between us and the service has answered
  }
}

function found() {
  heard = Date.now();
  if (connection.value.state === "up") return;
  connection.set({ state: "up", since: heard });
  revived.set(revived.value + 1);
}

function lost() {
  if (connection.value.state === "away") return;
  connection.set({ state: "away", since: Date.now() });
  probe(FIRST_WAIT);
}

async function probe(wait) {
  await new Promise((resolve) => setTimeout(resolve, wait));
  if (connection.value.state === "up") return;
  if (!(await isThere())) return probe(Math.min(LONGEST_WAIT, wait * 2));
  found();
}

export async function isThere() {
  try {
    await send("GET", "/health/live");
    return true;
  } catch {
    return false;
  }
}

// Login.

function logIn(why) {
  if (!loggedIn) {
    loggedIn = {};
    loggedIn.done = new Promise((resolve) => { loggedIn.resolve = resolve; });
    login.set({ why: token || person.value ? why : "", mayCancel: isOffered });
    token = "";
  }
  return loggedIn.done;
}

// Opens the form for whoever wants to be somebody else; it can be cancelled, and so can the next
// one if what was given there is wrong.
export function offerLogin() {
  isOffered = true;
  login.set({ why: "", mayCancel: true });
}

export function cancelLogin() {
  if (loggedIn) admit();
  else login.set(null);
}

function admit() {
  const waiting = loggedIn;
  logins++;
  loggedIn = null;
  login.set(null);
  recognise();
  waiting?.resolve();
}

export async function logInWithPassword(name, password) {
  const { status, data } = await send("POST", "/v1/login", { name, password });
  if (status >= 400) throw new Problem(status, data ?? {});
  admit();
}

export function logInWithToken(given) {
  token = given;
  admit();
}

export async function logOut() {
  await send("POST", "/v1/logout"); // with the token, which ends if it came from a login
  token = "";
  location.reload();
}

export function recognise() {
  recognition = learnPerson()
    .catch(() => {}) // if the service is away, the shell says so
    .then(() => { recognition = null; });
}

async function learnPerson() {
  const { status, data } = await send("GET", "/v1/whoami");
  if (status === 401) logIn(data?.detail ?? "");
  const isSession = data?.kind === "password";
  person.set(status === 200 ? { name: data.principal, mayLogOut: isSession || needsToken() } : null);
}
