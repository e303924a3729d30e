// The cards of test clients: how each does, and what can be done with it.
import { act } from "../../lib/actions.js";
import { useCell } from "../../lib/cell.js";
import { Copy } from "../../lib/copying.js";
import { compact, count, plural, rate, seconds, time, visible } from "../../lib/format.js";
import { tellChanged, useLive } from "../../lib/live.js";
import { keyOf, openObjectMenu } from "../../lib/objects.js";
import { address } from "../../lib/router.js";
import { Name, Text } from "../../lib/text.js";
import { Tiles } from "../../lib/tiles.js";
import { html, useState } from "../../lib/ui.js";
import { ANSWERS, PullConsumer } from "./consumer.js";
import { MOST_RATE } from "./supplier.js";

const EVERY = 2;
const MOST_WAIT = 25;
const TELLING = 3;
const TONES = { connected: "", connecting: "unsure", away: "away", disconnected: "off", ended: "away" };
const STATES = { connected: "connected", connecting: "connecting…", away: "connecting again…", disconnected: "disconnected", ended: "ended" };

export function ConsumerCard({ client }) {
  useCell(client.version);
  const { data: proxy } = useLive(client.path, { every: EVERY, when: client.state !== "ended" });
  const pulls = client instanceof PullConsumer;
  return html`<${Card} client=${client} state=${proxy?.suspended ? "suspended" : ""} buttons=${!pulls && html`<${Pause} client=${client} proxy=${proxy} />`}>
    <${Tiles} tiles=${[
      { name: "Received", value: compact(client.received.total) },
      { name: "Rate /s", value: rate(client.received.rate) },
      { name: "Waiting", value: compact(proxy?.waiting), title: "Events that wait at the service" },
      { name: "In flight", value: compact(proxy?.in_flight), title: "Events that were handed over and are not answered" },
      { name: "Came again", value: compact(client.again), title: "Events that were delivered more than once: they failed, or their answers were lost" },
    ]} />
    ${pulls && html`<${Pull} client=${client} />`}
    <${Events} client=${client} />
  <//>`;
}

function Card({ client, state, buttons, children }) {
  const { name, proxy, channel, kind } = client;
  const said = client.state === "connected" && state ? state : STATES[client.state];
  const object = { kind: "proxy", at: client.at, side: client.side, name, state: state || client.state };
  return html`<section class="client" id=${`client-${client.id}`} aria-label=${`${kind} ${visible(name || String(proxy), 80)}`}>
    <header>
      <h2><a href=${address("objects", { at: keyOf(object) })}><${Name} name=${name} kind="proxy" id=${proxy} /></a></h2>
      <p class="soft">${kind} of <${Name} name=${channel.name} kind="channel" id=${channel.id} /></p>
      <button class="plain" title=${name ? "Close it; the proxy stays at the service" : "Close it; its proxy ends"} aria-label="Close this client" onClick=${() => client.close()}>✕</button>
    </header>
    <div class="line">
      <p class="status"><span class=${`dot ${state ? "unsure" : TONES[client.state]}`}></span>${said}</p>
      <div class="actions">${buttons}<${Connection} client=${client} />
        <button class="small" aria-haspopup="menu" onClick=${(event) => openObjectMenu(event.currentTarget, object)}>Actions ▾</button></div>
    </div>
    ${children}
    ${client.told.length > 0 && html`<ul class="told" role="status">${client.told.slice(0, TELLING).map((one) => html`<li key=${one.time}>
      <span class="soft">${time(one.time)}</span> <${Text} text=${one.text} most=${400} /></li>`)}</ul>`}
  </section>`;
}

function Connection({ client }) {
  if (client instanceof PullConsumer) return null;
  const isTaken = client.error?.code === "already_connected";
  const [what, result, run] = ["disconnected", "ended"].includes(client.state)
    ? [isTaken ? "Take over" : "Connect", "Begun", () => client.connect(isTaken)] : ["Disconnect", "Done", () => client.disconnect()];
  const click = () => {
    run();
    client.log(what, result);
  };
  return html`<button class="small" onClick=${click}>${what}</button>`;
}

function Pause({ client, proxy }) {
  const [what, operation] = proxy?.suspended ? ["Resume", "resume"] : ["Suspend", "suspend"];
  const run = () => client.act(what, operation, "POST", `${client.path}/${operation}`).then(tellChanged, (error) => client.say(`${what}: ${error.message}.`));
  return html`<button class="small" disabled=${client.state !== "connected" || !proxy} onClick=${run}>${what}</button>`;
}

const whole = (text, low, high) => (/^\d+$/.test(text.trim()) ? Math.min(high, Math.max(low, Number(text))) : low);

const Whole = ({ label, value, onValue, ...rest }) => html`<label class="inline">${label}
  <input inputmode="numeric" size="5" value=${value} onInput=${(event) => onValue(event.target.value)} ...${rest} /></label>`;

function Pull({ client }) {
  const [most, setMost] = useState("10"), [wait, setWait] = useState("0"), [lease, setLease] = useState("30");
  const submit = (event) => {
    event.preventDefault();
    client.pull({ most: whole(most, 1, 100), wait: whole(wait, 0, MOST_WAIT), lease: whole(lease, 1, 3600) });
  };
  return html`<form class="line" onSubmit=${submit}>
    <${Whole} label="At most" value=${most} onValue=${setMost} />
    <${Whole} label="wait, s" value=${wait} onValue=${setWait} />
    <${Whole} label="lease, s" value=${lease} onValue=${setLease} />
    <button class="primary" disabled=${client.pulling}>${client.pulling ? "Pulling…" : "Pull"}</button>
  </form>`;
}

function Events({ client }) {
  const [reason, setReason] = useState("");
  const waiting = client.waiting;
  const rows = [...client.rows.values()]; // those that wait for an answer by hand must not move
  const ready = client.state === "connected";
  const answer = (hand, seqs) => client.answerBy(hand, seqs, reason);
  return html`${!client.automatic && html`<div class="line">
      <label class="inline grows">Reason <input value=${reason} maxlength="4096" placeholder="of failing or rejecting" onInput=${(event) => setReason(event.target.value)} /></label>
      <span class="actions"><span class="soft">All ${count(waiting.length)}:</span> ${Object.entries(ANSWERS).map(([hand, { text }]) => html`<button key=${hand} class="small"
        disabled=${!ready || !waiting.length} onClick=${() => answer(hand, waiting.map((one) => one.seq))}>${text}</button>`)}</span>
    </div>`}
    <ol class="received" tabindex="0" aria-label=${client.automatic ? "Received events, the latest first" : "Received events, in order"}>
      ${(client.automatic ? rows.reverse() : rows).map((row) => html`<${Event} key=${row.seq} row=${row} ready=${ready && !client.automatic} answer=${answer} />`)}
      ${!rows.length && html`<li class="state">No events yet</li>`}
    </ol>`;
}

function Event({ row, ready, answer }) {
  const { seq, arrival, type, name, text, whole, again, state } = row;
  return html`<li class="event">
    <span class="n soft">${seq}</span><span class="soft nowrap">${time(arrival)}</span>
    <span class="event-text" title=${whole}><b><${Text} text=${type} most=${60} /></b> ${name && html`<${Text} text=${name} most=${60} /> `}
      <code><${Text} text=${text} most=${400} /></code></span>
    <span class="event-state">${again && html`<span class="warn">again</span> `}${state !== "waiting" ? html`<span class=${state === ANSWERS.ack.done ? "soft" : "warn"}>${state}</span>`
      : ready && Object.entries(ANSWERS).map(([hand, { short }]) => html`<button key=${hand} class="small" aria-label=${`${short} event ${seq}`} onClick=${() => answer(hand, [seq])}>${short}</button>`)}</span>
  </li>`;
}

export function SupplierCard({ client }) {
  useCell(client.version);
  const { data: proxy } = useLive(client.path, { every: 5, when: client.state !== "ended" });
  const { median, most } = client.latency;
  return html`<${Card} client=${client}>
    <${Tiles} tiles=${[
      { name: "Accepted", value: compact(client.accepted.total) },
      { name: "Refused", value: compact(client.refused), tone: client.refused ? "bad" : "" },
      { name: "Stopped", value: compact(client.stopped), title: "By a filter on the supplier's side" },
      { name: "Unanswered", value: compact(client.waiting) },
      { name: "Rate /s", value: rate(client.accepted.rate) },
      { name: "Answer in", value: seconds(median), title: `Half of the latest answers came in this time, all in ${seconds(most)}` },
    ]} />
    <${Publishing} client=${client} />
    ${[...client.reasons].map(([why, n]) => html`<p key=${why} class="problem">${n > 1 && `${count(n)} ×: `}<${Text} text=${why} most=${400} /></p>`)}
    <div class="line"><span class="soft">Offers</span>
      ${proxy?.types.length ? html`<ul class="chips">${proxy.types.map((one) => html`<li><${Text} text=${typeof one === "string" ? one : `${one.domain}::${one.type}`} /></li>`)}</ul>`
        : html`<span>no event types named</span>`}
      <button class="small" onClick=${() => act("offer_change", { at: { ...client.at, side: "supplier" }, what: client.what })}>Change…</button></div>
  <//>`;
}

function Publishing({ client }) {
  const [template, setTemplate] = useState(client.template);
  const [most, setMost] = useState("100"), [perSecond, setPerSecond] = useState("10");
  const [fault, setFault] = useState(() => faultOf(client));
  const running = Boolean(client.run), ready = client.state === "connected" && !running;
  const write = (text) => {
    setTemplate(text);
    client.template = text;
    setFault(faultOf(client));
  };
  const publish = (n) => {
    const wrong = faultOf(client);
    setFault(wrong);
    if (!wrong) client.start(n, whole(perSecond, 1, MOST_RATE));
  };
  const submit = (event) => {
    event.preventDefault();
    publish(most.trim() ? whole(most, 1, Number.MAX_SAFE_INTEGER) : null);
  };
  return html`<form class="publishing" onSubmit=${submit}>
    <label class="field">Event <textarea rows="6" spellcheck=${false} maxlength="100000" disabled=${running} value=${template} aria-invalid=${fault ? "true" : null}
      onInput=${(event) => write(event.target.value)}></textarea></label>
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    <small><code>{n}</code> counts from 1, <code>{random 0 100}</code> is a number between the two, <code>{time}</code> is now.</small>
    <div class="line">
      <${Whole} label="Events" value=${most} onValue=${setMost} placeholder="no end" disabled=${running} />
      <${Whole} label="per second" value=${perSecond} onValue=${setPerSecond} disabled=${running} />
      ${running ? html`<button type="button" class="primary" onClick=${() => client.stop()}>Stop</button>` : html`<button class="primary" disabled=${!ready}>Start</button>`}
      <button type="button" disabled=${!ready} onClick=${() => publish(1)}>Publish one</button>
      <${Copy} what="CLI" text=${fault ? "" : client.command()} />
      ${running && html`<span class="soft">${left(client.run)}</span>`}
    </div>
  </form>`;
}

function left(run) {
  if (run.left === Infinity) return "until stopped";
  return run.left ? `${plural(run.left, "event")} to go` : "waits for answers";
}

function faultOf(client) {
  try {
    client.sample();
    return "";
  } catch (error) {
    return error.message;
  }
}
