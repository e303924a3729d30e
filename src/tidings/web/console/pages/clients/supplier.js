// A test supplier: events from a template, one or many at a rate, each accepted once.
//
// Events are numbered for a producer of this client's own. Those that are not answered when the
// connection is cut are sent again with the same numbers, and the service accepts each once.
import { now } from "../../lib/clock.js";
import { quoted } from "../../lib/copying.js";
import { count, plural, seconds } from "../../lib/format.js";
import { note } from "../../lib/log.js";
import { Away } from "../../lib/service.js";
import { Client, Meter } from "./client.js";
import { EXAMPLE, filledIn } from "./template.js";

export const MOST_RATE = 1_000;
const TICK = 50;
const MOST_BEHIND = 1.5; // seconds: a hidden tab is woken once a second
const MOST_UNANSWERED = 2_000;
const FRAME_EVENTS = 200, FRAME_CHARACTERS = 1_000_000;
const REASONS = 20, LATENCIES = 500;

export class Supplier extends Client {
  constructor(given) {
    super(given);
    this.template = EXAMPLE;
    this.producer = `console-${[...crypto.getRandomValues(new Uint32Array(2))].map((one) => one.toString(36)).join("")}`;
    this.made = 0;
    this.unanswered = new Map(); // pushes by the number of their first event, in order
    this.accepted = new Meter();
    this.stopped = 0; // by a filter
    this.refused = 0;
    this.reasons = new Map(); // why events were refused, or what was wrong with accepted ones: how often
    this.latencies = []; // the latest, in seconds
    this.run = null;
    this.connect();
  }

  get waiting() { return [...this.unanswered.values()].reduce((sum, one) => sum + one.events.length, 0); }

  get latency() {
    const sorted = [...this.latencies].sort((a, b) => a - b);
    return { median: sorted[Math.floor(sorted.length / 2)], most: sorted.at(-1) };
  }

  // An event as it would be sent next; throws what is wrong with the template.
  sample() { return filledIn(this.template, this.made + 1, now()); }

  command() {
    return `echo ${quoted(JSON.stringify(this.sample()))} | tidings publish ${quoted(String(this.channel.name || this.channel.id))} --json-lines -`;
  }

  // Begins to publish so many events, or until it is stopped, at a rate per second.
  start(most, rate) {
    const line = { what: `Publish ${most ? plural(most, "event") : "until stopped"}${most === 1 ? "" : ` at ${count(rate)}/s`}: ${this.what}`, curl: "", call: this.command() };
    this.run = { line, left: most ?? Infinity, rate, allowance: 1, at: performance.now(), began: performance.now(),
      accepted: this.accepted.total, stopped: this.stopped, refused: this.refused, timer: setInterval(() => this.tick(), TICK) };
    this.tick();
    this.changed();
  }

  tick() {
    const { run } = this, at = performance.now();
    run.allowance = Math.min(run.allowance + ((at - run.at) / 1000) * run.rate, run.rate * MOST_BEHIND + 1);
    run.at = at;
    if (this.state !== "connected") run.allowance = 1; // what was not made meanwhile is not made up for
    else this.publish(Math.min(Math.floor(run.allowance), run.left, MOST_UNANSWERED - this.waiting));
    if (!run.left) clearInterval(run.timer);
    this.#finish();
    this.changed();
  }

  stop() {
    this.run.left = 0;
    clearInterval(this.run.timer);
    this.#finish();
  }

  // A run is over when all its events are answered, or nothing answers any more.
  #finish(cutOff = false) {
    const { run } = this;
    if (!run || (!cutOff && (run.left || this.unanswered.size))) return;
    const took = (performance.now() - run.began) / 1000, accepted = this.accepted.total - run.accepted;
    const refused = this.refused - run.refused, stopped = this.stopped - run.stopped;
    const parts = [`${count(accepted)} accepted`, refused && `${count(refused)} refused`, stopped && `${count(stopped)} stopped by a filter`,
      this.waiting && `${count(this.waiting)} without an answer`];
    const result = `${parts.filter(Boolean).join(", ")} in ${seconds(took)}`;
    note({ ...run.line, result, ok: !refused });
    this.say(`Published: ${result}.`);
    this.run = null;
  }

  publish(most) {
    const { run } = this, size = Math.max(1, Math.min(FRAME_EVENTS, Math.floor(FRAME_CHARACTERS / this.template.length)));
    while (most > 0) {
      const events = Array.from({ length: Math.min(most, size) }, (_, at) => filledIn(this.template, this.made + at + 1, now()));
      const push = { number: this.made + 1, events };
      this.unanswered.set(push.number, push);
      this.made += events.length;
      run.left -= events.length;
      run.allowance -= events.length;
      most -= events.length;
      this.#send(push);
    }
  }

  async #send(push) {
    const { line } = this.kept, sent = performance.now();
    try {
      const { results } = await line.ask({ op: "push", ...this.at, events: push.events, producer: this.producer, number: push.number });
      this.latencies = [...this.latencies, (performance.now() - sent) / 1000].slice(-LATENCIES);
      this.#judge(results);
    } catch (error) {
      if (error instanceof Away) return; // it is sent again
      if (error.status === 503) return line.close(); // the service stops, and has accepted nothing of it
      this.#refuse(error.message, push.events.length);
    }
    this.unanswered.delete(push.number);
    this.#finish();
    this.changed();
  }

  #judge(results) {
    let accepted = 0;
    for (const one of results) {
      const seq = one.seq ?? one;
      if (one.error) this.#refuse(one.error.detail, 1);
      else if (seq === 0) this.stopped++;
      else accepted++;
      for (const warning of one.warnings ?? []) this.#note(warning, 1);
    }
    this.accepted.add(accepted);
  }

  #refuse(why, n) {
    this.refused += n;
    this.#note(why, n);
  }

  #note(why, n) {
    if (this.reasons.has(why) || this.reasons.size < REASONS) this.reasons.set(why, (this.reasons.get(why) ?? 0) + n);
  }

  up() {
    if (!this.unanswered.size) return;
    this.say(`${plural(this.waiting, "event")} without an answer sent again with the same numbers: each is accepted once.`);
    for (const push of this.unanswered.values()) this.#send(push);
  }

  down() {
    if (this.state === "away" || !this.run) return; // it goes on when it is connected again
    clearInterval(this.run.timer);
    this.#finish(true);
  }
}
