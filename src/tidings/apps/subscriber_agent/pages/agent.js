// The subscriber agent starts here: navigation, the state of the connection, and one of three views.
import { useCell } from "/console/lib/cell.js";
import { useLive } from "/console/lib/live.js";
import { address, useRoute } from "/console/lib/router.js";
import { connection } from "/console/lib/service.js";
import { Loaded } from "/console/lib/states.js";
import { setTheme, theme } from "/console/lib/theme.js";
import { Toasts } from "/console/lib/toasts.js";
import { html, render, useEffect, useRef, useState } from "/console/lib/ui.js";
import Announce from "./announce.js";
import { waiting } from "./inbox.js";
import Notices from "./notices.js";
import Pick from "./pick.js";

const VIEWS = [
  { id: "notices", title: "Notices", View: Notices },
  { id: "pick", title: "What to hear of", View: Pick },
  { id: "announce", title: "Announce a change", View: Announce },
];
const THEMES = [["", "Auto"], ["light", "Light"], ["dark", "Dark"]];

function Agent() {
  const { page: id } = useRoute();
  const view = VIEWS.find((one) => one.id === id) ?? VIEWS[0];
  const services = useLive("/api/services", { every: 5 });
  const [menu, setMenu] = useState(false);
  const main = useRef(), first = useRef(true), unread = useCell(waiting);
  useEffect(() => {
    setMenu(false);
    if (!first.current) main.current.focus();
    first.current = false;
  }, [view]);
  useEffect(() => { document.title = `${unread ? `(${unread}) ` : ""}${view.title} · Service changes`; }, [view, unread]);
  return html`
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); main.current.focus(); }}>Skip to the page</a>
    <header class="side">
      <div class="brand"><img src="/console/icon.svg" alt="" width="20" height="20" /> Service changes
        <button class="menu-button" aria-expanded=${menu} aria-controls="navigation" onClick=${() => setMenu(!menu)}>Menu</button>
      </div>
      <div class=${menu ? "side-body open" : "side-body"} id="navigation">
        <nav aria-label="Pages"><ul>
          ${VIEWS.map((one) => html`<li key=${one.id}><a href=${address(one.id)} aria-current=${one === view ? "page" : null}>${one.title}${one.id === "notices" && unread > 0 && html` <b class="unread">${unread}</b>`}</a></li>`)}
        </ul></nav>
        <${Foot} console=${services.data?.console} />
      </div>
    </header>
    <main id="main" ref=${main} tabindex="-1">
      <${Away} />
      <${Loaded} of=${services}>${(data) => html`<${view.View} services=${data} />`}<//>
    </main>
    <${Toasts} />`;
}

function Away() {
  const { state } = useCell(connection);
  return state === "away" && html`<p class="away" role="alert">The agent does not answer; trying again. Nothing typed here is lost, and notices wait.</p>`;
}

function Foot({ console: link }) {
  const chosen = useCell(theme), { state } = useCell(connection);
  return html`<div class="side-foot">
    <p class="status"><span class=${state === "up" ? "dot" : "dot away"}></span> ${state === "up" ? "Connected" : "Not connected"}</p>
    <div class="segments" role="group" aria-label="Theme">
      ${THEMES.map(([value, word]) => html`<button key=${value} aria-pressed=${chosen === value} onClick=${() => setTheme(value)}>${word}</button>`)}
    </div>
    ${link && html`<p class="links"><a href=${`${link}/#/trader`}>Trader in the console</a></p>`}
  </div>`;
}

render(html`<${Agent} />`, document.getElementById("console"));
