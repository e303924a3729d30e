// A constraint on the archive: how many events it would have matched, of which types, and examples.
//
//   <${Backtest} channel=${3} constraint="$rate > 120" types=${["Traffic::*"]} />
//
//   channel  its id or name; left out: all channels
import { filled } from "./catalogue.js";
import { time, visible } from "./format.js";
import { asked, cancelJob, FIRST_PERIOD, isOver, JobState, Missing, Period, startJob, useJobs } from "./jobs.js";
import { useLive } from "./live.js";
import { Section } from "./page.js";
import { address } from "./router.js";
import { ask } from "./service.js";
import { Loaded } from "./states.js";
import { Text } from "./text.js";
import { Tiles } from "./tiles.js";
import { html, useState } from "./ui.js";

export function Backtest({ channel, constraint = "", types = [] }) {
  const jobs = useJobs();
  const [period, setPeriod] = useState(FIRST_PERIOD);
  const [live, setLive] = useState(false);
  const [started, setStarted] = useState(null);
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const job = started && (jobs.data?.jobs.find((one) => one.id === started.id) ?? started);
  const start = async (event) => {
    event.preventDefault();
    setBusy(true);
    setFault("");
    try {
      const channels = channel === undefined || channel === null || channel === "" ? [] : [await named(channel)];
      setStarted(await startJob("backtest", { constraint: { text: constraint, types }, channels, live, ...asked(period) }));
    } catch (error) {
      setFault(error.message);
    } finally {
      setBusy(false);
    }
  };
  return html`<${Section} title="Backtest" about="how many archived events the constraint would have matched">
    <${Loaded} of=${jobs}>${({ problem }) => html`<div class="stack narrow">
      ${problem ? html`<${Missing} problem=${problem} />` : html`<form class="line" onSubmit=${start}>
        <${Period} period=${period} onPeriod=${setPeriod} />
        <label class="check"><input type="checkbox" checked=${live} onChange=${(event) => setLive(event.target.checked)} /> Compare with present subscriptions</label>
        <button class="primary" disabled=${busy || !constraint.trim() || (job && !isOver(job))}>Run backtest</button>
      </form>`}
      ${fault && html`<p class="problem" role="alert">${visible(fault, 1000)}</p>`}
      ${job && html`<${Run} job=${job} changed=${job.constraint !== constraint} />`}
    </div>`}<//>
  <//>`;
}

// The archive knows channels by name; one without a name by its origin.
async function named(channel) {
  if (typeof channel === "string" && !/^\d+$/.test(channel)) return channel;
  const { name, origin } = await ask("GET", filled("/v1/channels/{channel}", { channel }));
  return name || origin;
}

const Run = ({ job, changed }) => html`<div class="stack narrow">
  ${changed && html`<p class="soft">Of <code>${visible(job.constraint, 300)}</code>, as it was at ${time(job.created)}.</p>`}
  ${job.state === "done" ? html`<${Result} key=${job.id} job=${job} />` : html`<p class="job-line"><${JobState} job=${job} />
    ${!isOver(job) && html`<button class="small" onClick=${() => cancelJob(job)}>Cancel</button>`}</p>`}
</div>`;

function Result({ job }) {
  const result = useLive(`/v1/jobs/${job.id}/result`, { every: 0 });
  return html`<${Loaded} of=${result}>${({ figures, tables, problems }) => html`
    <div class="job-figures" role="status"><${Tiles} tiles=${figures.map((one) => ({ name: one.title, value: html`${visible(one.value)} <small>${visible(one.note)}</small>` }))} /></div>
    ${problems.map((one) => html`<p class="problem"><${Text} text=${one} most=${300} /></p>`)}
    ${tables.filter((one) => one.title !== "Matches over time").map((one) => html`<${Table} key=${one.title} table=${one} />`)}
    <p><a href=${address("reports", { job: job.id })}>With charts and over time</a></p>`}<//>`;
}

const SHORT = 30; // longer texts wrap

function Table({ table }) {
  const look = (text, at) => (table.numbers.includes(at) ? "n" : text.length <= SHORT ? "nowrap" : "job-text");
  return html`<section aria-label=${table.title}>
    <h3>${visible(table.title)} <span class="soft job-note">${visible(table.text)}</span></h3>
    ${table.rows.length ? html`<div class="scroll job-table" tabindex="0"><table>
      <thead><tr>${table.headings.map((one, at) => html`<th class=${look(one, at)}>${visible(one)}</th>`)}</tr></thead>
      <tbody>${table.rows.map((row) => html`<tr>${row.map((one, at) => html`<td class=${look(one, at)}><${Text} text=${one} most=${1000} /></td>`)}</tr>`)}</tbody>
    </table></div>` : html`<p class="soft">None.</p>`}
  </section>`;
}
