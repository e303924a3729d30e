// Jobs over the archive: how they are started, and what is shown of each.
import { act } from "./actions.js";
import { asCall, asCurl } from "./copying.js";
import { count, plural, seconds, visible } from "./format.js";
import { tellChanged, useLive } from "./live.js";
import { note } from "./log.js";
import { ask, needsToken } from "./service.js";
import { Text } from "./text.js";
import { html } from "./ui.js";

const EVERY = 2;

export const useJobs = () => useLive("/v1/jobs", { every: EVERY });

// What stands in the way of every job, and how it is removed.
export const Missing = ({ problem }) => html`<p class="meanwhile"><b>Jobs cannot run here yet:</b> <${Text} text=${problem} most=${600} /></p>`;

// Starts a job of a kind; it. Throws as `ask` does.
export async function startJob(kind, body) {
  const request = { method: "POST", path: `/v1/jobs/${kind}`, body };
  const line = { what: `Start ${kind === "audit" ? "an" : "a"} ${kind}`, curl: asCurl(request), call: asCall(`start_${kind}`, body) };
  try {
    const job = await ask(request.method, request.path, body);
    note({ ...line, result: `Job ${job.id}`, ok: true });
    tellChanged();
    return job;
  } catch (error) {
    note({ ...line, result: error.message, ok: false });
    throw error;
  }
}

const LISTED = { backtest: "samples", report: "top", audit: "sample" };

// The same again, of the same time.
export function startAgain(job) {
  const body = { channels: job.channels, since: moment(job.since), until: moment(job.until), [LISTED[job.kind]]: job.most };
  if (job.kind === "backtest") Object.assign(body, { constraint: { text: job.constraint, types: job.types }, live: job.live });
  return startJob(job.kind, body);
}

// With all six digits, which a Date would cut.
function moment(microseconds) {
  if (microseconds === null) return null;
  const second = Math.floor(microseconds / 1e6);
  return `${new Date(second * 1e3).toISOString().slice(0, 19)}.${String(microseconds - second * 1e6).padStart(6, "0")}Z`;
}

export const isOver = (job) => !["queued", "running"].includes(job.state);
export const titleOf = (job) => `${job.kind[0].toUpperCase()}${job.kind.slice(1)} ${job.id}`;
export const cancelJob = (job) => act("cancel_job", { at: { job: job.id }, what: titleOf(job) });
export const deleteJob = (job, onDone) => act("delete_job", { at: { job: job.id }, what: titleOf(job), onDone });

// How far it is, why it failed, or in a few words what it has found.
export function JobState({ job }) {
  if (job.state === "running") return html`<span class="job-progress"><progress max="100" value=${job.percent} aria-label=${`${titleOf(job)}: progress`}></progress>
    <span class="soft">${job.percent}%${job.step && html`, <${Text} text=${job.step} />`}</span></span>`;
  if (job.state === "queued") return html`<span class="soft">Waits for the job before it</span>`;
  if (job.state === "done") return html`<${Found} job=${job} />`;
  if (job.state === "cancelled") return html`<span class="soft">Cancelled</span>`;
  return html`<span class="bad">${job.state === "failed" ? "Failed" : "Interrupted"}: <${Text} text=${job.cause} most=${700} /></span>`;
}

function Found({ job: { kind, counts } }) {
  if (kind === "backtest") return html`<span><b>${count(counts.matched)}</b> of ${plural(counts.events, "event")} would have matched</span>`;
  if (kind === "report") return html`<span>${plural(counts.events, "event")}</span>`;
  return counts.faults
    ? html`<span class="bad">${plural(counts.faults, "finding")} unexplained in ${plural(counts.events, "event")}</span>`
    : html`<span><span class="good">All explained</span>, ${plural(counts.events, "event")}</span>`;
}

export const channelsOf = (job) => (job.channels.length ? job.channels.map((one) => visible(one, 60)).join(", ") : "All channels");

const minute = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const withYear = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

function shortTime(microseconds) {
  const date = new Date(microseconds / 1000);
  return (date.getFullYear() === new Date().getFullYear() ? minute : withYear).format(date);
}

export function periodOf({ since, until }) {
  if (since === null && until === null) return "all of the archive";
  if (until === null) return `since ${shortTime(since)}`;
  return since === null ? `until ${shortTime(until)}` : `${shortTime(since)} to ${shortTime(until)}`;
}

export const tookOf = ({ started, ended }) => (started && ended ? seconds((ended - started) / 1e6) : "–");

// A link to the page of a job, which frames and tabs can follow without a token, for a minute.
export const linkOf = async (job) => (await ask("POST", `/v1/jobs/${job.id}/page-link`)).path;

export async function openInTab(job) {
  // The lasting address can be loaded again, where no token is needed.
  window.open(needsToken() ? await linkOf(job) : `/v1/jobs/${job.id}/page`, "_blank", "noopener");
}

// The time that a job is about: {choice, from, to}, and as fields of a request.

const PERIODS = [["1h", "Last hour"], ["24h", "Last 24 hours"], ["7d", "Last 7 days"], ["30d", "Last 30 days"], ["", "All of the archive"], ["between", "Between…"]];

export const FIRST_PERIOD = { choice: "24h", from: "", to: "" };

export function asked({ choice, from, to }) {
  if (choice !== "between") return { since: choice || null, until: null };
  const point = (text) => (text ? new Date(text).toISOString() : null);
  return { since: point(from), until: point(to) };
}

export function Period({ period, onPeriod }) {
  const put = (name) => (event) => onPeriod({ ...period, [name]: event.target.value });
  return html`<label>Time <select value=${period.choice} onChange=${put("choice")}>
      ${PERIODS.map(([value, word]) => html`<option value=${value}>${word}</option>`)}
    </select></label>
    ${period.choice === "between" && html`
      <label>From <input type="datetime-local" value=${period.from} onInput=${put("from")} /></label>
      <label>To <input type="datetime-local" value=${period.to} onInput=${put("to")} /></label>`}`;
}
