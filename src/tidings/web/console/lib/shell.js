// What is around every page: navigation, the state of the connection, login, dialogs, messages.
import { GROUPS, PAGES } from "../pages/index.js";
import { ActionDialog } from "./actions.js";
import { useCell } from "./cell.js";
import { Dialog } from "./dialog.js";
import { Foot } from "./foot.js";
import { seconds } from "./format.js";
import { addShortcut, allShortcuts, Keys } from "./keyboard.js";
import { Login } from "./login.js";
import { Menu } from "./menu.js";
import { address, go, useRoute } from "./router.js";
import { connection, isThere, lastHeard } from "./service.js";
import { Failed, Loading } from "./states.js";
import { Toasts } from "./toasts.js";
import { html, useEffect, useErrorBoundary, useRef, useState } from "./ui.js";

const HEARTBEAT = 5_000;

export function Shell() {
  const { page: id, query } = useRoute();
  const page = PAGES.find((one) => one.id === id) ?? PAGES[0];
  const [help, setHelp] = useState(false);
  const [menu, setMenu] = useState(false);
  const main = useRef();
  const first = useRef(true);
  useEffect(() => {
    document.title = `${page.title} · Tidings`;
    setMenu(false);
    if (!first.current) main.current.focus();
    first.current = false;
  }, [page.id]);
  useEffect(() => {
    const ends = PAGES.map((one) => addShortcut(`g ${one.key}`, `Go to ${one.title}`, () => go(one.id)));
    ends.push(addShortcut("?", "Show the shortcuts", () => setHelp(true)));
    ends.push(addShortcut("/", "Search on this page", () => document.querySelector("main input[type=search]")?.focus()));
    return () => ends.forEach((end) => end());
  }, []);
  useHeartbeat();
  return html`
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); main.current.focus(); }}>Skip to the page</a>
    <header class="side">
      <div class="brand"><img src="/console/icon.svg" alt="" width="20" height="20" /> Tidings
        <button class="menu-button" aria-expanded=${menu} aria-controls="navigation" onClick=${() => setMenu(!menu)}>Menu</button>
      </div>
      <div class=${menu ? "side-body open" : "side-body"} id="navigation">
        <nav aria-label="Pages">${GROUPS.map((group) => html`<${Group} key=${group} name=${group} page=${page} />`)}</nav>
        <${Foot}><button class="link" onClick=${() => setHelp(true)}>Shortcuts</button> <a href="/docs/api">API</a> <a href="/metrics">Metrics</a><//>
      </div>
    </header>
    <main id="main" ref=${main} tabindex="-1">
      <${Connection} />
      <${Safe} key=${page.id}><${Lazy} page=${page} query=${query} /><//>
    </main>
    <${Menu} />
    <${ActionDialog} />
    ${help && html`<${Shortcuts} onClose=${() => setHelp(false)} />`}
    <${Login} />
    <${Toasts} />`;
}

// A group without pages is not shown.
function Group({ name, page }) {
  const pages = PAGES.filter((one) => one.group === name);
  return pages.length > 0 && html`<section class="nav-group" aria-labelledby=${`nav-${name}`}>
    <h2 id=${`nav-${name}`}>${name}</h2>
    <ul>${pages.map((one) => html`<li key=${one.id}><a href=${address(one.id)} aria-current=${one === page ? "page" : null}
      title=${`g ${one.key}`}>${one.title}</a></li>`)}</ul>
  </section>`;
}

// A page that fails leaves the others alone.
function Safe({ children }) {
  const [error, reset] = useErrorBoundary((fault) => console.error(fault));
  return error ? html`<${Failed} error=${error} retry=${reset} />` : children;
}

function Lazy({ page, query }) {
  const [made, setMade] = useState({});
  useEffect(() => {
    page.load().then((module) => setMade({ View: module.default }), (error) => setMade({ error }));
  }, [page]);
  if (made.error) return html`<${Failed} error=${made.error} retry=${() => location.reload()} />`;
  return made.View ? html`<${made.View} query=${query} />` : html`<${Loading} />`;
}

// A page that asks for nothing hears of the end of the service, too.
function useHeartbeat() {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && connection.value.state === "up" && Date.now() - lastHeard() > HEARTBEAT) isThere();
    }, HEARTBEAT);
    return () => clearInterval(timer);
  }, []);
}

function Connection() {
  const { state, since } = useCell(connection);
  const [, again] = useState(0);
  useEffect(() => {
    if (state === "up") return;
    const timer = setInterval(() => again(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [state]);
  if (state === "up") return null;
  return html`<p class="away" role="alert">The service does not answer since ${new Date(since).toLocaleTimeString()}${" "}
    (${seconds((Date.now() - since) / 1000)}); trying again. What is shown is what it said last.</p>`;
}

const Shortcuts = ({ onClose }) => html`<${Dialog} title="Shortcuts" onClose=${onClose}>
  <table class="shortcuts"><tbody>
    ${allShortcuts().map(({ keys, what }) => html`<tr key=${keys}><td><${Keys} keys=${keys} /></td><td>${what}</td></tr>`)}
    <tr><td><${Keys} keys="Esc" /></td><td>Close a dialog or a menu</td></tr>
  </tbody></table>
<//>`;
