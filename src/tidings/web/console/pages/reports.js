// Jobs over the archive: reports, audits and backtests, how far each is, and what it has found.
import { useCell } from "../lib/cell.js";
import { ago, fullTime, visible } from "../lib/format.js";
import {
  asked, cancelJob, channelsOf, deleteJob, FIRST_PERIOD, isOver, JobState, linkOf, Missing, openInTab, Period, periodOf, startAgain, startJob,
  titleOf, tookOf, useJobs,
} from "../lib/jobs.js";
import { useLive } from "../lib/live.js";
import { outlineLoader } from "../lib/outline.js";
import { Page, Section } from "../lib/page.js";
import { address, change } from "../lib/router.js";
import { Empty, Failed, Loaded, Loading } from "../lib/states.js";
import { Text } from "../lib/text.js";
import { theme } from "../lib/theme.js";
import { Facts } from "../lib/tiles.js";
import { toast } from "../lib/toasts.js";
import { html, useEffect, useMemo, useState } from "../lib/ui.js";

const KINDS = {
  report: { word: "Report", text: "Volumes, rates, latencies, suppliers and consumers.", listed: "top", rows: "Rows of long lists" },
  audit: { word: "Audit", text: "Whether every event was accounted for.", listed: "sample", rows: "Events named in a finding" },
};
const ROWS = 20;

export default function Reports({ query }) {
  const all = useJobs();
  return html`<${Page} title="Reports" about="Jobs over the archive: reports, audits and backtests.">
    <${Loaded} of=${all}>${({ problem, jobs }) => html`
      ${problem ? html`<${Missing} problem=${problem} />` : html`<${New} />`}
      ${jobs.length ? html`<${Jobs} jobs=${jobs} chosen=${Number(query.job) || 0} />`
        : html`<${Empty} title="No jobs yet">${problem ? "Reports, audits and backtests are listed here." : "Start a report or an audit above, or a backtest of a filter."}<//>`}`}<//>
  <//>`;
}

function New() {
  const [kind, setKind] = useState("report");
  const [channel, setChannel] = useState("");
  const [period, setPeriod] = useState(FIRST_PERIOD);
  const [rows, setRows] = useState(String(ROWS));
  const [fault, setFault] = useState("");
  const outline = useLive(useMemo(() => outlineLoader({ inside: false }), []), { every: 0, key: "outline" });
  const { listed, rows: label, text } = KINDS[kind];
  const start = async (event) => {
    event.preventDefault();
    setFault("");
    try {
      const job = await startJob(kind, { channels: channel ? [channel] : [], ...asked(period), [listed]: /^\d+$/.test(rows) ? Number(rows) : rows });
      change({ job: job.id });
    } catch (error) {
      setFault(error.message);
    }
  };
  return html`<${Section} title="New job" about=${text}>
    <form class="line" onSubmit=${start}>
      <label>What <select value=${kind} onChange=${(event) => setKind(event.target.value)}>
        ${Object.entries(KINDS).map(([name, { word }]) => html`<option value=${name}>${word}</option>`)}
      </select></label>
      <label>Channel <input list="report-channels" value=${channel} placeholder="All channels" autocomplete="off" spellcheck=${false} onInput=${(event) => setChannel(event.target.value)} /></label>
      <datalist id="report-channels">${(outline.data?.channels.name ?? []).filter(Boolean).slice(0, 200).map((name) => html`<option value=${name} />`)}</datalist>
      <${Period} period=${period} onPeriod=${setPeriod} />
      <label>${label} <input class="rows-count" inputmode="numeric" value=${rows} onInput=${(event) => setRows(event.target.value)} /></label>
      <button class="primary">Start</button>
    </form>
    ${fault && html`<p class="problem" role="alert">${visible(fault, 1000)}</p>`}
  <//>`;
}

function Jobs({ jobs, chosen }) {
  const job = jobs.find((one) => one.id === chosen) ?? (chosen ? null : jobs[0]);
  return html`<div class="reports">
    <nav aria-label="Jobs, the latest first"><ul>${jobs.map((one) => html`<li key=${one.id}>
      <a href=${address("reports", { job: one.id })} aria-current=${one === job ? "true" : null}>
        <span class="job-head"><b>${titleOf(one)}</b><span class="soft" title=${fullTime(one.created)}>${ago(one.created)} ago</span></span>
        <span class="soft ellipsis">${channelsOf(one)}, ${periodOf(one)}</span>
        ${one.constraint && html`<code class="ellipsis">${visible(one.constraint)}</code>`}
        <${JobState} job=${one} />
      </a></li>`)}</ul></nav>
    ${job ? html`<${Details} key=${job.id} job=${job} />` : html`<${Empty} title="There is no such job">It was deleted, or its place was needed: only the latest are kept.<//>`}
  </div>`;
}

function Details({ job }) {
  const again = async () => {
    try {
      change({ job: (await startAgain(job)).id });
    } catch (error) {
      toast(visible(error.message, 600), { bad: true });
    }
  };
  const open = () => openInTab(job).catch((error) => toast(visible(error.message, 600), { bad: true }));
  return html`<section class="report" aria-label=${titleOf(job)}>
    <header><h2>${titleOf(job)}</h2><div class="actions">
      ${job.state === "done" && html`<button onClick=${open}>Open in a tab</button>`}
      ${isOver(job) ? html`<button onClick=${again}>Start again</button><button onClick=${() => deleteJob(job, () => change({ job: "" }))}>Delete</button>`
        : html`<button onClick=${() => cancelJob(job)}>Cancel</button>`}
    </div></header>
    ${job.state === "done" ? html`<${Shown} job=${job} />` : html`<div class="stack">
      <p><${JobState} job=${job} /></p>
      <${Facts} facts=${[["Events of", channelsOf(job)], ["Time", periodOf(job)], job.constraint && ["Constraint", html`<code>${visible(job.constraint, 2000)}</code>`],
        job.types.length > 0 && ["Event types", job.types.map((one) => visible(one)).join(", ")], ["Started by", html`<${Text} text=${job.by} />`],
        job.started !== null && ["Began", fullTime(job.started)], job.ended !== null && ["Took", tookOf(job)]]} />
    </div>`}
  </section>`;
}

// The page of a job has names that anybody may have chosen: it may do nothing, in a frame of its own.
function Shown({ job }) {
  const [found, setFound] = useState({});
  useEffect(() => { linkOf(job).then((path) => setFound({ path }), (error) => setFound({ error })); }, []);
  const mode = useCell(theme) || "auto";
  if (found.error) return html`<${Failed} error=${found.error} />`;
  return found.path ? html`<iframe sandbox="" src=${`${found.path}#${mode}`} title=${`The page of ${titleOf(job)}`}></iframe>` : html`<${Loading} />`;
}
