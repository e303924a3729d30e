// The test clients of this tab. They are here and not in the page, so that they go on while another
// page is open; they stop with the tab.
import { filled } from "../../lib/catalogue.js";
import { cell } from "../../lib/cell.js";
import { now } from "../../lib/clock.js";
import { asCall, asCurl } from "../../lib/copying.js";
import { note } from "../../lib/log.js";
import { ask, Problem } from "../../lib/service.js";
import { keepLine } from "../../lib/socket.js";

export const MOST_CLIENTS = 20;
const TOLD = 20;
const DRAWN_EVERY = 250;

export const clients = cell([]);

export const add = (client) => clients.set([client, ...clients.value]);

let last = 0;

export class Client {
  // given: {channel, proxy}: the views of both; {request}: the body that made the proxy; {kind}: a word
  constructor({ channel, proxy, request, kind }) {
    this.id = ++last;
    this.kind = kind;
    this.channel = channel;
    this.proxy = proxy.id;
    this.name = proxy.name;
    this.side = proxy.side;
    this.request = request;
    this.state = "connecting"; // connected, away, disconnected, ended
    this.told = []; // what has happened, the latest first: {time, text}
    this.version = cell(0); // rises when there is something new to be seen
    this.drawing = 0;
    this.kept = null; // its connection, if it is of a kind that has one
    this.error = null; // what has ended it
  }

  get what() { return `${this.kind.toLowerCase()} ${this.name || this.proxy}`; }
  get at() { return { channel: this.channel.id, proxy: this.proxy }; }
  get path() { return filled("/v1/channels/{channel}/proxies/{proxy}", this.at); }

  // Has the card drawn again, soon: not for each event.
  changed() {
    this.drawing ||= setTimeout(() => {
      this.drawing = 0;
      this.version.set(this.version.value + 1);
    }, DRAWN_EVERY);
  }

  say(text) {
    this.told = [{ time: now() * 1000, text }, ...this.told].slice(0, TOLD);
    this.changed();
  }

  become(state) {
    this.state = state;
    this.changed();
  }

  // Sends a request that somebody has asked for, with its line in the log.
  async act(what, operation, method, path, body) {
    const line = { what: `${what}: ${this.what}`, curl: asCurl({ method, path, body }), call: asCall(operation, { ...this.at, ...body }) };
    try {
      const answer = await ask(method, path, body);
      note({ ...line, result: "Done", ok: true });
      return answer;
    } catch (error) {
      note({ ...line, result: error.message, ok: false });
      throw error;
    }
  }

  // A line in the log for what no request to the service stands for.
  log(what, result) {
    note({ what: `${what}: ${this.what}`, result, ok: true, curl: "", call: "" });
  }

  // Makes sure that the proxy is there: one without a name ends with the service, and is made again.
  async obtain() {
    const channel = await ask("GET", filled("/v1/channels/{channel}", this.at));
    if (channel.origin !== this.channel.origin) throw new Problem(404, { detail: "the channel is gone: another one has its id" });
    try {
      await ask("GET", this.path);
    } catch (error) {
      if (error.status !== 404 || this.name) throw error;
      this.proxy = (await ask("POST", filled("/v1/channels/{channel}/proxies", this.at), this.request)).id;
      this.remade();
    }
  }

  remade() {
    this.say("Its proxy had ended, because it has no name: there is a new one.");
  }

  // The connection of clients that have one.

  // `again` takes the proxy over from another client, or from an earlier connection that seems to be there still.
  connect(again = false) {
    this.error = null;
    this.become("connecting");
    this.kept = keepLine({
      prepare: async () => {
        await this.obtain();
        return { ...this.at, window: this.window, again };
      },
      up: () => {
        if (this.state === "away") this.say("Connected again.");
        again = true;
        this.become("connected");
        this.up();
      },
      down: (why) => {
        if (this.state !== "away") this.say(`Not connected${why ? ` (${why})` : ""}: it tries again by itself.`);
        this.become("away");
        this.down();
      },
      events: (frame) => this.deliver(frame),
      ended: (error) => {
        this.error = error;
        this.say(`Ended: ${error.message}.`);
        this.become("ended");
        this.down();
      },
    });
  }

  up() {}
  down() {}
  deliver() {}

  disconnect() {
    this.kept?.close();
    this.become("disconnected");
    this.down();
  }

  // Ends the client; a proxy without a name ends with it.
  async close() {
    const hasEnded = this.state === "ended";
    this.disconnect();
    clients.set(clients.value.filter((one) => one !== this));
    if (hasEnded) return;
    if (this.name) this.log("Close", "The proxy stays at the service");
    else await this.act("Close", "disconnect", "DELETE", this.path).catch(() => {}); // it ends by itself, later
  }
}

// How often something happened per second, over the last few seconds.
export class Meter {
  static SECONDS = 5;

  constructor() {
    this.times = [];
    this.total = 0;
  }

  add(n) {
    this.total += n;
    this.times.push([performance.now(), n]);
    this.#forget();
  }

  get rate() {
    this.#forget();
    if (!this.times.length) return 0;
    const seconds = (performance.now() - this.times[0][0]) / 1000;
    return this.times.reduce((sum, [, n]) => sum + n, 0) / Math.max(1, seconds);
  }

  #forget() {
    const since = performance.now() - Meter.SECONDS * 1000;
    while (this.times.length && this.times[0][0] < since) this.times.shift();
  }
}
