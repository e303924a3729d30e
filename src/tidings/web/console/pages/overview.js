// The whole service at a glance: how it is, how it went over the last hour, and who needs attention.
import { act } from "../lib/actions.js";
import { BINARY, Chart, WHOLE } from "../lib/chart.js";
import { ratesOf, summaryOf } from "../lib/federation.js";
import { ago, compact, count, octets, rate, seconds, time, visible } from "../lib/format.js";
import { useLive } from "../lib/live.js";
import { outlineLoader, pace } from "../lib/outline.js";
import { Page, Section } from "../lib/page.js";
import { address } from "../lib/router.js";
import { ask } from "../lib/service.js";
import { Empty, Loaded } from "../lib/states.js";
import { Name, Text } from "../lib/text.js";
import { Facts, Tiles } from "../lib/tiles.js";
import { html, useMemo } from "../lib/ui.js";

const EVERY = 5;
const HOUR = 3600e6;
const MOST = 10;

const often = (outline) => pace(outline?.channels.id.length ?? 0, EVERY);

export default function Overview() {
  const status = useLive("/v1/overview", { every: EVERY });
  const outline = useLive(useMemo(() => outlineLoader({ inside: false }), []), { every: often, key: "outline" });
  const rates = useLive(useMemo(seriesLoader, []), { every: EVERY, key: "rates" });
  const federation = useLive(useMemo(gatewaysLoader, []), { every: EVERY, key: "gateways" });
  const create = html`<button onClick=${() => act("create_channel")}>Create a channel</button>`;
  return html`<${Page} title="Overview" actions=${create}>
    ${status.error && html`<${Section} title="The whole service"><${Loaded} of=${status} /><//>`}
    ${!status.error && html`<${Loaded} of=${status}>${(data) => html`<${State} status=${data} rates=${rates.data} federation=${federation.data} />`}<//>`}
    ${rates.error?.status !== 403 && html`<${Section} title="Last hour"><${Loaded} of=${rates}
      empty=${(data) => !data.time.length && html`<${Empty} title="No samples yet">The service takes one every ${EVERY} seconds.<//>`}>
      ${(data) => html`<${Charts} series=${data} status=${status.data} />`}<//><//>`}
    <div class="columns">
      <${Section} title="Channels" about="the busiest" actions=${html`<a href=${address("objects")}>All objects</a>`}>
        <${Loaded} of=${outline} empty=${noChannels}>${(data) => html`<${Channels} table=${data.channels} />`}<//>
      <//>
      <${Behind} />
    </div>
    <div class="columns">
      <${Notices} />
      <div class="stack">
        ${status.data && html`<${Outcomes} outcomes=${status.data.outcomes} />`}
        ${status.data?.archive && html`<${Archive} archive=${status.data.archive} />`}
        ${status.data?.disk && html`<${Disk} disk=${status.data.disk} />`}
      </div>
    </div>
  <//>`;
}

// The gateways as a whole, and how much they carry.
function gatewaysLoader() {
  const grow = ratesOf();
  return async () => {
    const found = summaryOf((await ask("GET", "/v1/gateways")).gateways);
    return { ...found, carriedNow: grow({ carried: found.carried }).carried };
  };
}

// Samples of the last hour: each time only what is new is loaded.
function seriesLoader() {
  let kept = null;
  return async () => {
    const last = kept?.time.at(-1) ?? 0;
    const { now, every, series } = await ask("GET", `/v1/rates?after=${last}`);
    const grown = {};
    for (const [name, values] of Object.entries(series)) grown[name] = [...(kept?.[name] ?? []), ...values];
    const first = grown.time.findIndex((one) => one > now - HOUR);
    for (const name of Object.keys(grown)) grown[name] = first < 0 ? [] : grown[name].slice(first);
    kept = grown;
    return withGaps(grown, every);
  };
}

// Where samples are missing, as after a restart, the line is interrupted.
function withGaps(series, every) {
  const holes = series.time.map((one, at) => at > 0 && one - series.time[at - 1] > 4e6 * every);
  if (!holes.includes(true)) return series;
  const filled = (name) => series[name].flatMap((one, at) =>
    (holes[at] ? [name === "time" ? series.time[at] - 1e6 * every : null, one] : [one]));
  return Object.fromEntries(Object.keys(series).map((name) => [name, filled(name)]));
}

function State({ status, rates, federation }) {
  const last = (name) => rates?.[name]?.at(-1);
  const tone = (n) => (n ? "warn" : "");
  return html`
    ${!status.ready && html`<p class="problem" role="alert">Not ready: <${Text} text=${status.reason} most=${500} /></p>`}
    ${status.losses && html`<p class="problem">Ready, with losses: <${Text} text=${status.losses} most=${500} /></p>`}
    ${status.warnings.map((one) => html`<p class="meanwhile">${one}</p>`)}
    <${Tiles} tiles=${[
      { name: "State", value: status.ready ? (status.losses ? "Ready, with losses" : "Ready") : "Not ready", tone: status.ready && !status.losses ? "good" : "bad" },
      { name: "Events in /s", value: rate(last("accepted")) },
      { name: "Copies out /s", value: rate(last("delivered")) },
      { name: "Waiting", value: compact(status.waiting), title: "Copies of events that wait" },
      { name: "In flight", value: compact(status.in_flight), title: "Copies handed over and not answered" },
      { name: "Slow consumers", value: compact(last("slow")), tone: tone(last("slow")) },
      { name: "Dead letters", value: compact(status.dead_letters), tone: tone(status.dead_letters) },
      { name: "Channels", value: compact(status.channels) },
      { name: "Accepted", value: compact(status.accepted), title: "Events accepted by the channels there are" },
      { name: "WebSockets", value: compact(status.websockets) },
      { name: "Tails", value: compact(status.tails), title: "Streams of server-sent events" },
      ...(status.corba === null ? [] : [{ name: "CORBA", value: compact(status.corba), title: "Open CORBA connections" }]),
      ...(federation?.all ? gatewayTiles(federation) : []),
    ]} />`;
}

const gatewayTiles = ({ up, all, carriedNow, setAside }) => [
  { name: "Gateways up", value: html`<a href=${address("federation")}>${up} of ${all}</a>`, tone: up < all ? "warn" : "" },
  { name: "Carried /s", value: rate(carriedNow), title: "Deliveries of all gateways" },
  { name: "Set aside", value: compact(setAside), tone: setAside ? "warn" : "", title: "Events that a service could not be given" },
];

function Charts({ series, status }) {
  const times = useMemo(() => series.time.map((one) => one / 1e6), [series]);
  const of = (name, word) => ({ name: word, values: series[name] });
  return html`<div class="charts">
    <${Chart} title="Events per second" times=${times} show=${rate} series=${[of("accepted", "in"), of("delivered", "out")]} />
    <${Chart} title="Backlog" times=${times} show=${compact} steps=${WHOLE} series=${[of("waiting", "waiting"), of("in_flight", "in flight")]} />
    <${Chart} title="Attention" times=${times} show=${compact} steps=${WHOLE} series=${[of("slow", "slow consumers"), of("dead_letters", "dead letters")]} />
    <${Chart} title="Processors used" times=${times} show=${(n) => (n ?? 0).toFixed(2)} series=${[of("processor", "")]} />
    ${status?.disk && html`<${Chart} title="Disk" times=${times} show=${octets} steps=${BINARY} series=${[of("disk", "all files"), of("journal", "journal")]} />`}
    ${status?.archive && html`<${Chart} title="Not archived" times=${times} show=${octets} steps=${BINARY} series=${[of("archive", "")]} />`}
  </div>`;
}

const noChannels = (data) => !data.channels.id.length && html`<${Empty} title="No channels yet">
  <button onClick=${() => act("create_channel")}>Create a channel</button><//>`;

function Channels({ table }) {
  const rows = table.id.map((_, row) => row)
    .sort((a, b) => (table.rate[b] ?? 0) - (table.rate[a] ?? 0) || table.waiting[b] - table.waiting[a] || table.id[a] - table.id[b])
    .slice(0, MOST);
  return html`<div class="scroll"><table>
    <thead><tr><th>Channel</th><th class="n">In /s</th><th class="n">Accepted</th><th class="n">Waiting</th><th class="n">Suppliers</th><th class="n">Consumers</th></tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${table.id[row]}>
      <td><a href=${address("objects", { at: `channel-${table.id[row]}` })}><${Name} name=${table.name[row]} kind="channel" id=${table.id[row]} /></a></td>
      <td class="n">${rate(table.rate[row])}</td><td class="n">${count(table.accepted[row])}</td><td class="n">${count(table.waiting[row])}</td>
      <td class="n">${count(table.suppliers[row])}</td><td class="n">${count(table.consumers[row])}</td>
    </tr>`)}</tbody>
  </table></div>
  ${table.id.length > MOST && html`<p class="soft">and ${count(table.id.length - MOST)} more</p>`}`;
}

function Behind() {
  const top = useLive(`/v1/top?by=waiting&most=${MOST}`, { every: EVERY });
  const some = (data) => data.proxies.filter((one) => one.waiting || one.failures);
  return html`<${Section} title="Consumers furthest behind"><${Loaded} of=${top}
    empty=${(data) => !some(data).length && html`<${Empty} title="Nobody is behind">Every consumer that you may see has taken what there was for it.<//>`}>
    ${(data) => html`<div class="scroll"><table>
      <thead><tr><th>Consumer</th><th>Channel</th><th>State</th><th class="n">Waiting</th><th class="n">In flight</th><th class="n">Oldest</th><th class="n">Failures</th></tr></thead>
      <tbody>${some(data).map((one) => html`<tr key=${`${one.channel}/${one.proxy}`}>
        <td><a href=${address("objects", { at: `proxy-${one.channel}-${one.proxy}` })}><${Name} name=${one.name} kind="proxy" id=${one.proxy} /></a></td>
        <td><${Name} name=${one.channel_name} kind="channel" id=${one.channel} /></td>
        <td class=${one.attached ? "" : "warn"}>${one.attached ? "connected" : "away"}</td>
        <td class="n">${count(one.waiting)}</td><td class="n">${count(one.in_flight)}</td><td class="n">${seconds(one.lag)}</td>
        <td class=${one.failures ? "n bad" : "n"}>${count(one.failures)}</td>
      </tr>`)}</tbody>
    </table></div>`}<//><//>`;
}

function Notices() {
  const notices = useLive(`/v1/notices?most=${MOST}`, { every: EVERY });
  return html`<${Section} title="Latest notices"><${Loaded} of=${notices}
    empty=${(data) => !data.notices.length && html`<${Empty} title="No notices">The service tells of slow consumers, losses and the disk here.<//>`}>
    ${(data) => html`<ul class="notices">${[...data.notices].reverse().map((one) => html`<li>
      <span class="soft nowrap" title=${time(one.time)}>${ago(one.time)} ago</span>
      <span><b class=${one.kind === "caught up" ? "good" : "warn"}>${visible(one.kind)}</b>
        ${one.channel > 0 && html` · <${Name} name=${one.channel_name} kind="channel" id=${one.channel} />`}
        ${one.proxy > 0 && html` / <${Name} name=${one.proxy_name} kind="proxy" id=${one.proxy} />`}
        <span class="soft"> <${Text} text=${one.detail} most=${300} /></span></span>
    </li>`)}</ul>`}<//><//>`;
}

function Outcomes({ outcomes }) {
  const found = Object.entries(outcomes).sort(([, a], [, b]) => b - a);
  return html`<${Section} title="Outcomes" about="copies of events since the start">
    ${found.length ? html`<${Facts} facts=${found.map(([name, n]) => [name, count(n)])} />` : html`<${Empty} title="None yet" />`}
  <//>`;
}

const Archive = ({ archive }) => html`<${Section} title="Archive">
  ${archive.error && html`<p class="problem">Stands still: <${Text} text=${archive.error} most=${500} /></p>`}
  ${archive.problems.map((one) => html`<p class="problem"><${Text} text=${one} most=${300} /></p>`)}
  <${Facts} facts=${[["Folder", html`<${Text} text=${archive.folder} />`], ["Files finished", count(archive.seals)], ["Rows", count(archive.rows)],
    ["Behind", `${octets(archive.behind_octets)}, ${seconds(archive.behind_seconds)}`], archive.restarts > 0 && ["Restarts", count(archive.restarts)]]} />
<//>`;

const Disk = ({ disk }) => html`<${Section} title="Disk">
  ${disk.error && html`<p class="problem"><${Text} text=${disk.error} most=${500} /></p>`}
  <${Facts} facts=${[["Folder", html`<${Text} text=${disk.folder} />`], ["Files", octets(disk.octets)],
    ["Journal", `${octets(disk.journal)}${disk.quota === null ? "" : ` of ${octets(disk.quota)}`}`], ["Free", octets(disk.free)]]} />
<//>`;
