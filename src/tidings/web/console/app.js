// The console starts here.
import { recognise } from "./lib/service.js";
import { Shell } from "./lib/shell.js";
import { html, render } from "./lib/ui.js";

recognise();
render(html`<${Shell} />`, document.getElementById("console"));
