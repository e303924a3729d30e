// The foot of the navigation: the connection, whose grants apply, the theme; its children are links.
import { useCell } from "./cell.js";
import { skew } from "./clock.js";
import { seconds } from "./format.js";
import { connection, logOut, person } from "./service.js";
import { Text } from "./text.js";
import { setTheme, theme } from "./theme.js";
import { html } from "./ui.js";

const SKEWED = 5_000;
const THEMES = [["", "Auto"], ["light", "Light"], ["dark", "Dark"]];

export function Foot({ children }) {
  const chosen = useCell(theme), who = useCell(person), { state } = useCell(connection);
  const off = useCell(skew);
  return html`<div class="side-foot">
    <p class="status"><span class=${`dot ${state}`}></span> ${state === "up" ? "Connected" : "Not connected"}</p>
    ${Math.abs(off) > SKEWED && html`<p class="soft">This computer's clock is ${seconds(Math.abs(off) / 1000)}
      ${off > 0 ? " behind" : " ahead of"} the service's; times are corrected.</p>`}
    ${who && html`<p class="who"><${Text} text=${who.name} />
      ${who.mayLogOut && html` <button class="link" onClick=${logOut}>Log out</button>`}</p>`}
    <div class="segments" role="group" aria-label="Theme">
      ${THEMES.map(([value, word]) => html`<button aria-pressed=${chosen === value} onClick=${() => setTheme(value)}>${word}</button>`)}
    </div>
    <p class="links">${children}</p>
  </div>`;
}
