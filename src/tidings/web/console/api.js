// The page of the API. The service writes it as HTML, which can be read without this; here its
// operations get forms to try them. Whoever must log in first finds an empty page (api.html), which
// is filled after that.
import { ContentsSearch, offerTrials } from "./lib/api_page.js";
import { Foot } from "./lib/foot.js";
import { addShortcut } from "./lib/keyboard.js";
import { Login } from "./lib/login.js";
import { askForText, offerLogin, recognise } from "./lib/service.js";
import { Sure } from "./lib/trial.js";
import { Toasts } from "./lib/toasts.js";
import { html, render } from "./lib/ui.js";

const PAGE = "/docs/api";

const added = (place, name = "div") => place.appendChild(document.createElement(name));

async function fill() {
  const found = new DOMParser().parseFromString(await askForText("GET", PAGE), "text/html");
  document.title = found.title;
  document.querySelector("#console").replaceWith(found.querySelector("#console"));
  history.replaceState(null, "", PAGE + location.hash);
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

// On a small screen the list of operations is behind a button, as in the console.
function addMenu(body) {
  const button = added(document.querySelector(".brand"), "button");
  const show = (shown) => {
    body.classList.toggle("open", shown);
    button.setAttribute("aria-expanded", shown);
  };
  button.className = "menu-button";
  button.textContent = "Menu";
  button.addEventListener("click", () => show(!body.classList.contains("open")));
  body.addEventListener("click", (event) => event.target.closest(".contents a") && show(false));
  show(false);
}

recognise();
render(html`<${Login} /><${Sure} /><${Toasts} />`, added(document.body));
if (!document.querySelector("main")) await fill();
const body = document.querySelector(".side-body"), contents = document.querySelector(".contents");
const search = document.createElement("div");
search.className = "contents-search";
contents.before(search);
render(html`<${ContentsSearch} contents=${contents} />`, search);
body.querySelector(".links").remove();
render(html`<${Foot}><a href="/">Console</a> <a href="/v1/openapi.json">OpenAPI</a> <button class="link" onClick=${offerLogin}>Log in…</button><//>`, added(body));
addMenu(body);
offerTrials(document.querySelectorAll("main > section"));
addShortcut("/", "Search the operations", () => document.querySelector("input[type=search]").focus());
