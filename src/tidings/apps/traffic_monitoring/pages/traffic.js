// Traffic monitoring starts here: the map, the merged logs to step through, limits and fines.
import { useCell } from "/console/lib/cell.js";
import { count, plural, visible } from "/console/lib/format.js";
import { Section } from "/console/lib/page.js";
import { useLive } from "/console/lib/live.js";
import { ask, connection } from "/console/lib/service.js";
import { Empty, Loaded } from "/console/lib/states.js";
import { setTheme, theme } from "/console/lib/theme.js";
import { toast, Toasts } from "/console/lib/toasts.js";
import { html, render, useEffect, useState } from "/console/lib/ui.js";
import { CityMap } from "./map.js";
import { sceneTime, wordsOf } from "./words.js";

const THEMES = [["", "Auto"], ["light", "Light"], ["dark", "Dark"]];
const FRESH = 0.5; // seconds between two looks at what is new
const PLAYED = 200; // milliseconds for a line

function Traffic() {
  const city = useLive("/api/city", { every: 0 });
  const live = useLive("/api/board", { every: FRESH });
  return html`<main id="main" tabindex="-1">
    <${Top} trouble=${live.data?.trouble} />
    <${Loaded} of=${city}>${(known) => html`<${Loaded} of=${live} empty=${(data) => data.last < 0 && html`<${Empty} title="Nobody drives yet">It begins in a moment.<//>`}>
      ${(data) => html`<${View} city=${known} live=${data} refresh=${live.refresh} />`}<//>`}<//>
  </main><${Toasts} />`;
}

function Top({ trouble }) {
  const chosen = useCell(theme), { state } = useCell(connection);
  return html`<header class="top">
    <h1><img src="/console/icon.svg" alt="" width="20" height="20" /> Traffic monitoring</h1>
    <p class="status"><span class=${state === "up" && !trouble ? "dot" : "dot away"}></span> ${state === "up" ? visible(trouble || "Connected") : "The demo does not answer; trying again"}</p>
    <div class="segments" role="group" aria-label="Theme">
      ${THEMES.map(([value, word]) => html`<button key=${value} aria-pressed=${chosen === value} onClick=${() => setTheme(value)}>${word}</button>`)}
    </div>
  </header>`;
}

// `past` is the step that is looked at; without one it is the latest.
function View({ city, live, refresh }) {
  const [past, setPast] = useState(null), [plays, setPlays] = useState(false);
  const board = past ?? live;
  const go = async (number) => {
    try {
      setPast(await ask("GET", `/api/board?at=${Math.max(0, Math.min(number, live.last))}`));
    } catch (error) {
      toast(visible(error.message, 300), { bad: true });
    }
  };
  const step = (by) => { setPlays(false); go(board.at + by); };
  const follow = () => { setPlays(false); setPast(null); };
  useEffect(() => {
    if (!plays || !past) return;
    if (past.at >= live.last) return follow();
    const timer = setTimeout(() => go(past.at + 1), PLAYED);
    return () => clearTimeout(timer);
  }, [plays, past]);
  return html`<div class="view">
    <div>
      <${CityMap} city=${city} board=${board} />
      <${Section} title="Logs" about=${past ? `line ${count(board.at + 1)} of ${count(live.last + 1)}` : "live"}>
        <div class="steps">
          <button onClick=${() => step(-1)} disabled=${board.at <= live.first}>Step back</button>
          ${plays ? html`<button onClick=${() => setPlays(false)}>Pause</button>`
            : html`<button onClick=${() => { if (!past) return step(0); setPlays(true); }}>${past ? "Play" : "Pause"}</button>`}
          <button onClick=${() => step(1)} disabled=${!past || board.at >= live.last}>Step forward</button>
          <input type="range" aria-label="Line of the logs" min=${live.first} max=${live.last} value=${board.at} onInput=${(event) => { setPlays(false); go(Number(event.target.value)); }} />
          <output>${sceneTime(board.time)}</output>
          <button class=${past ? "primary" : ""} onClick=${follow} disabled=${!past}>Live</button>
        </div>
        <ol class="log" aria-label="Lines of the logs">${board.lines.map((line) => html`<li key=${line.number} aria-current=${line.number === board.at ? "step" : null}>
          <time>${sceneTime(board.time + (line.second - board.second) * 1e6)}</time><span>${line.entity}</span><span class="text">${wordsOf(line)}</span></li>`)}</ol>
      <//>
    </div>
    <div><${Limits} city=${city} state=${board.state} refresh=${refresh} /><${Fines} fines=${board.fines} second=${board.second} time=${board.time} /></div>
  </div>`;
}

function Limits({ city, state, refresh }) {
  const [targets, setTargets] = useState("road-*"), [limit, setLimit] = useState("50");
  const [busy, setBusy] = useState(false), [problem, setProblem] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const { roads } = await ask("POST", "/api/limits", { targets, limit: Number(limit) });
      setProblem("");
      toast(`Limit ${limit} is in force at ${roads.join(", ")}`);
      refresh();
    } catch (error) {
      setProblem(error.message);
    } finally {
      setBusy(false);
    }
  };
  return html`<${Section} title="Limits" about="by control events to the monitors' gateways">
    <p class="now-limits">${Object.keys(city.roads).map((road) => html`<span key=${road}>${road} <b>${state[road]?.limit ?? "–"}</b></span>`)}</p>
    <form class="limits" onSubmit=${submit}>
      <label class="field">Monitors<input list="targets" value=${targets} onInput=${(event) => setTargets(event.target.value)} required maxlength="200" /></label>
      <datalist id="targets">${city.targets.map((one) => html`<option value=${one} />`)}</datalist>
      <label class="field">km/h<input type="number" min="0" max=${city.highest} step="1" value=${limit} onInput=${(event) => setLimit(event.target.value)} required /></label>
      <button class="primary" disabled=${busy}>${busy ? "Setting…" : "Set"}</button>
      ${problem && html`<p class="problem" role="alert">${visible(problem, 400)}</p>`}
    </form>
  <//>`;
}

const Fines = ({ fines, second, time }) => html`<${Section} title="Fines" about=${fines.length ? plural(fines.length, "fine") : ""}>
  ${fines.length ? html`<div class="fines scroll" tabindex="0" role="region" aria-label="Fines"><table>
    <thead><tr><th>Time</th><th>Licence</th><th>Where</th><th class="n">km/h</th><th class="n">Euros</th></tr></thead>
    <tbody>${fines.map((one) => html`<tr key=${one.number}><td>${sceneTime(time + (one.second - second) * 1e6)}</td><td>${one.about.licence}</td><td>${one.about.road}</td>
      <td class="n">${one.about.rate} of ${one.about.limit}</td><td class="n">${one.about.euros}</td></tr>`)}</tbody></table></div>`
    : html`<${Empty} title="Nobody is fined yet">A car is fined once at one monitor in ten minutes.<//>`}
<//>`;

const root = document.getElementById("console");
root.className = "one";
render(html`<${Traffic} />`, root);
