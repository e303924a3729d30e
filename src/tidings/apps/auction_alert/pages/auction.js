// Auction alert starts here: navigation, the state of the connection, and one of four views.
import { useCell } from "/console/lib/cell.js";
import { visible } from "/console/lib/format.js";
import { useLive } from "/console/lib/live.js";
import { address, useRoute } from "/console/lib/router.js";
import { connection } from "/console/lib/service.js";
import { Loaded } from "/console/lib/states.js";
import { setTheme, theme } from "/console/lib/theme.js";
import { Toasts } from "/console/lib/toasts.js";
import { html, render, useEffect, useRef, useState } from "/console/lib/ui.js";
import { unseen } from "./alerts.js";
import Evening from "./evening.js";
import Look from "./look.js";
import Market from "./market.js";
import Sell from "./sell.js";

const VIEWS = [
  { id: "alerts", title: "Alerts", View: Look },
  { id: "sell", title: "Sell", View: Sell },
  { id: "market", title: "Market", View: Market },
  { id: "evening", title: "Evening", View: Evening },
];
const THEMES = [["", "Auto"], ["light", "Light"], ["dark", "Dark"]];

function Auction() {
  const { page: id } = useRoute();
  const view = VIEWS.find((one) => one.id === id) ?? VIEWS[0];
  const board = useLive("/api/board", { every: 1 });
  const [menu, setMenu] = useState(false);
  const main = useRef(), first = useRef(true), fresh = useCell(unseen);
  useEffect(() => {
    setMenu(false);
    if (!first.current) main.current.focus();
    first.current = false;
  }, [view]);
  useEffect(() => { document.title = `${fresh ? `(${fresh}) ` : ""}${view.title} · Auction alert`; }, [view, fresh]);
  return html`
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); main.current.focus(); }}>Skip to the page</a>
    <header class="side">
      <div class="brand"><img src="/console/icon.svg" alt="" width="20" height="20" /> Auction alert
        <button class="menu-button" aria-expanded=${menu} aria-controls="navigation" onClick=${() => setMenu(!menu)}>Menu</button>
      </div>
      <div class=${menu ? "side-body open" : "side-body"} id="navigation">
        <nav aria-label="Pages"><ul>
          ${VIEWS.map((one) => html`<li key=${one.id}><a href=${address(one.id)} aria-current=${one === view ? "page" : null}>${one.title}</a></li>`)}
        </ul></nav>
        <${Foot} board=${board.data} />
      </div>
    </header>
    <main id="main" ref=${main} tabindex="-1">
      <${Away} board=${board.data} />
      <${Loaded} of=${board}>${(data) => html`<${view.View} board=${data} refresh=${board.refresh} />`}<//>
    </main>
    <${Toasts} />`;
}

function Away({ board }) {
  const { state } = useCell(connection);
  if (state === "away") return html`<p class="away" role="alert">The auction does not answer; trying again. Nothing typed here is lost.</p>`;
  if (!board?.trouble) return null;
  return html`<p class="away" role="alert">${visible(board.trouble)}; trying again. Nothing typed here is lost, and alerts come later.</p>`;
}

function Foot({ board }) {
  const chosen = useCell(theme), { state } = useCell(connection);
  const up = state === "up" && !board?.trouble;
  return html`<div class="side-foot">
    <p class="status"><span class=${up ? "dot" : "dot away"}></span> ${up ? "Connected" : "Not connected"}</p>
    <div class="segments" role="group" aria-label="Theme">
      ${THEMES.map(([value, word]) => html`<button key=${value} aria-pressed=${chosen === value} onClick=${() => setTheme(value)}>${word}</button>`)}
    </div>
    ${board && html`<p class="links"><a href=${board.console}>Console of the service</a></p>`}
  </div>`;
}

render(html`<${Auction} />`, document.getElementById("console"));
