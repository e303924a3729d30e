// A simulated evening: houses and bidders at any speed, the same for all who watch.
import { count, visible } from "/console/lib/format.js";
import { Page, Section } from "/console/lib/page.js";
import { ask } from "/console/lib/service.js";
import { Empty } from "/console/lib/states.js";
import { toast } from "/console/lib/toasts.js";
import { html } from "/console/lib/ui.js";

const SPEEDS = [1, 2, 5, 10, 20, 50, 100];

export default function Evening({ board, refresh }) {
  const { running, paused, speed, called, calls, guests, problem } = board.evening;
  const steer = async (change) => {
    try {
      await ask("PUT", "/api/evening", change);
      await refresh();
    } catch (error) {
      toast(visible(error.message, 300), { bad: true });
    }
  };
  const button = running
    ? html`<button class="primary" onClick=${() => steer({ paused: !paused })}>${paused ? "Go on" : "Pause"}</button>`
    : html`<button class="primary" onClick=${() => steer({ begin: true })}>${calls ? "Another evening" : "Begin"}</button>`;
  return html`<${Page} title="Evening" about="Five houses and six bidders, simulated; your own alerts and lots are among theirs.">
    <${Section} title="Speed">
      <div class="steering">
        ${button}
        <div class="segments" role="group" aria-label="Speed">
          ${SPEEDS.map((one) => html`<button key=${one} aria-pressed=${speed === one} onClick=${() => steer({ speed: one })}>×${one}</button>`)}
        </div>
        <label class="progress"><progress max=${calls || 1} value=${called}></progress>
          <span>${running ? `${paused ? "Paused: " : ""}${count(called)} of ${count(calls)} lots` : calls ? `Over: ${count(called)} of ${count(calls)} lots` : "Not begun"}</span></label>
      </div>
      ${problem && html`<p class="problem" role="alert">The evening has ended early: ${visible(problem, 300)}</p>`}
    <//>
    <${Section} title="Bidders" about="each with a named subscription">
      ${guests.length ? html`<div class="scroll"><table class="bidders" aria-label="Bidders">
        <thead><tr><th>Bidder</th><th>Looks for</th><th class="n">Alerts</th><th class="n">Twice</th><th class="n">Wait at the service</th><th class="n">Rejected</th></tr></thead>
        <tbody>${guests.map((one) => html`<tr key=${one.name} data-bidder=${one.name}>
          <td>${one.name}${one.away && html` <span class="warn">away</span>`}<br /><small>${one.habit}</small></td>
          <td>${one.wanted.map((text) => html`<code class="line">${text || "everything"}</code>`)}<small>${one.types.join(", ")}</small></td>
          <td class="n alerts">${count(one.alerts)}</td><td class="n twice">${count(one.twice)}</td>
          <td class="n waiting">${count(board.waiting[one.name] ?? 0)}</td><td class="n">${count(one.rejected)}</td>
        </tr>`)}</tbody></table></div>`
        : html`<${Empty} title="Nobody is here yet">Begin an evening: houses announce 240 lots, in ten minutes at ×1.<//>`}
    <//>
  <//>`;
}
