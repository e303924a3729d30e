// The console starts here.
import { learnPerson } from "./lib/service.js";
import { Shell } from "./lib/shell.js";
import { html, render } from "./lib/ui.js";

render(html`<${Shell} />`, document.getElementById("console"));
learnPerson().catch(() => {}); // if the service is away, the shell says so
