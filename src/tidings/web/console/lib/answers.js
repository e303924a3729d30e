// What the service answers to an action, where people want to read it.
import { CopySecret } from "./copying.js";
import { visible, visibleLines } from "./format.js";
import { html } from "./ui.js";

// Whether it is shown this once: it must not go with a stray key.
export const secretOf = (answer) => answer?.token ?? answer?.reference ?? null;

export function Answer({ answer }) {
  const secret = secretOf(answer);
  if (secret !== null) return html`<${Secret} secret=${secret} what=${answer.token ? "token" : "reference"} credential=${answer.credential} />`;
  return html`<pre tabindex="0">${visibleLines(JSON.stringify(answer, null, 2), 2000)}</pre>`;
}

const Secret = ({ secret, what, credential }) => html`
  <p class="meanwhile"><b>This ${what} is shown only now.</b> The service keeps no copy of it, and whoever has it acts as its principal:
    store it where only its program or person can read it. If it is lost or seen, revoke credential ${credential}.</p>
  <p class="secret"><code id="secret">${visible(secret, 20_000)}</code></p>
  <p><${CopySecret} text=${secret} what=${what} /></p>`;

// An answer of one number, as a sentence for the message: "37 redriven".
export function sentenceOf(answer) {
  const found = Object.entries(answer ?? {});
  return found.length === 1 && typeof found[0][1] === "number" ? `${found[0][1]} ${found[0][0].replaceAll("_", " ")}` : "";
}
