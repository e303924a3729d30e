// Test consumers: events come to them, or they pull, and each event is answered.
import { asCall, asCurl } from "../../lib/copying.js";
import { count, plural, visible } from "../../lib/format.js";
import { note } from "../../lib/log.js";
import { ask } from "../../lib/service.js";
import { Client, Meter } from "./client.js";

// How many events a card keeps: those that wait for an answer by hand, else what can be drawn quickly.
export const KEPT_BY_HAND = 200, KEPT = 50;
const MOST_TEXT = 300, MOST_WHOLE = 2_000;
const REMEMBERED = 10_000;
const USED_EVERY = 20_000; // a proxy without a name ends when nobody uses it
const MOST_PULLS = 3; // a browser has six connections to a service: waiting pulls leave some to the pages

// The answers to an event: their frames, and the same as operations.
export const ANSWERS = {
  ack: { text: "Acknowledge", short: "Ack", done: "acknowledged", path: "ack", operation: "ack" },
  fail: { text: "Fail", short: "Fail", done: "failed, comes again", path: "retry", operation: "failed" },
  reject: { text: "Reject", short: "Reject", done: "rejected", path: "reject", operation: "reject" },
};

const reasonOf = (hand, reason) => (hand === "ack" ? {} : { reason });

// What is kept of an event, however long it is.
function rowOf({ seq, arrival, event }, again) {
  const { domain, type, name, ...rest } = event;
  const text = JSON.stringify(Object.keys(rest).join() === "data" ? rest.data : rest);
  return {
    seq, arrival, again, state: "waiting", name: visible(name ?? ""), type: visible(type === undefined ? "any" : `${domain}::${type}`),
    text: visible(text, MOST_TEXT), whole: visible(JSON.stringify(event), MOST_WHOLE),
  };
}

class Consumer extends Client {
  constructor({ automatic, ...given }) {
    super(given);
    this.automatic = automatic;
    this.most = automatic ? KEPT : KEPT_BY_HAND;
    this.rows = new Map(); // by number, in the order of arrival
    this.acknowledged = new Set(); // an answer that was lost on the way is given again
    this.received = new Meter();
    this.again = 0;
  }

  get waiting() { return [...this.rows.values()].filter((one) => one.state === "waiting"); }

  // Takes events in; `again` has the numbers of those that may have come before.
  take(events, again) {
    const answered = [];
    let fresh = 0;
    for (const one of events) {
      const known = this.rows.get(one.seq), repeated = again.includes(one.seq);
      if (known || repeated) this.again++;
      if (!known && !this.acknowledged.has(one.seq)) fresh++;
      if (this.automatic || this.acknowledged.has(one.seq)) answered.push(one.seq);
      if (this.acknowledged.has(one.seq)) continue;
      if (known && known.state !== "waiting") this.rows.delete(one.seq); // it comes to the top
      this.rows.set(one.seq, rowOf(one, Boolean(known) || repeated));
    }
    this.received.add(fresh);
    this.#forget();
    if (answered.length) this.answer("ack", answered).catch((error) => this.say(`Acknowledge: ${error.message}.`));
    this.changed();
  }

  #forget() {
    for (const row of this.rows.values()) {
      if (this.rows.size <= this.most) break;
      if (row.state !== "waiting") this.rows.delete(row.seq);
    }
  }

  // Answers events because somebody has asked for it.
  answerBy(hand, seqs, reason) {
    const body = { seqs, ...reasonOf(hand, reason) };
    const { text, path, operation } = ANSWERS[hand];
    const which = seqs.length === 1 ? `event ${seqs[0]}` : plural(seqs.length, "event");
    const line = {
      what: `${text} ${which}: ${this.what}`, curl: asCurl({ method: "POST", path: `${this.path}/${path}`, body }),
      call: asCall(operation, { ...this.at, ...body }),
    };
    return this.answer(hand, seqs, reason).then(
      () => note({ ...line, result: "Sent", ok: true }),
      (error) => {
        this.say(`${text}: ${error.message}`);
        note({ ...line, result: error.message, ok: false });
      },
    );
  }

  async answer(hand, seqs, reason = "") {
    await this.send(hand, seqs, reason);
    for (const seq of seqs) {
      const row = this.rows.get(seq);
      if (row) this.rows.set(seq, { ...row, state: ANSWERS[hand].done });
      if (hand === "ack") this.acknowledged.add(seq);
    }
    for (const seq of this.acknowledged) {
      if (this.acknowledged.size <= REMEMBERED) break;
      this.acknowledged.delete(seq);
    }
    this.#forget();
    this.changed();
  }

  remade() {
    super.remade();
    this.say("Events that came meanwhile, or were not acknowledged, are missed: a named subscription would have them.");
    for (const row of this.waiting) this.rows.set(row.seq, { ...row, state: "lost" });
  }
}

export class PushConsumer extends Consumer {
  constructor({ window, ...given }) {
    super(given);
    this.window = window;
    this.connect();
  }

  deliver({ events, again = [] }) {
    this.take(events, again);
  }

  async send(hand, seqs, reason) {
    if (!this.kept?.line) throw new Error("it is not connected: unanswered events come again once it is");
    this.kept.line.send({ op: hand, seqs, ...reasonOf(hand, reason) });
  }
}

let pulls = 0;

export class PullConsumer extends Consumer {
  constructor(given) {
    super(given);
    this.pulling = false;
    this.become("connected");
    if (!this.name) this.using = setInterval(() => this.send("ack", []).catch(() => {}), USED_EVERY);
  }

  disconnect() {
    super.disconnect();
    clearInterval(this.using);
  }

  // Asks for at most so many events; how long to wait, and to answer them, are seconds.
  async pull({ most, wait, lease }) {
    if (this.waiting.length + most > KEPT_BY_HAND) return this.say(`${plural(this.waiting.length, "event")} wait for an answer: answer some first.`);
    if (wait && pulls >= MOST_PULLS) return this.say(`${MOST_PULLS} pulls are waiting, as many as may: try again after one of them.`);
    this.pulling = true;
    if (wait) pulls++;
    this.changed();
    try {
      await this.obtain();
      const { events } = await this.act(`Pull ${most}`, "pull", "POST", `${this.path}/pull`, { most, wait, lease });
      this.say(events.length ? `Pulled ${plural(events.length, "event")}.` : `Nothing came${wait ? ` in ${count(wait)} s` : ""}.`);
      this.take(events, events.filter((one) => one.redelivered).map((one) => one.seq));
    } catch (error) {
      this.say(`Nothing was pulled: ${error.message}.`);
    } finally {
      this.pulling = false;
      if (wait) pulls--;
      this.changed();
    }
  }

  send(hand, seqs, reason) {
    return ask("POST", `${this.path}/${ANSWERS[hand].path}`, { seqs, ...reasonOf(hand, reason) });
  }
}
