// What this page has done since it was opened.
import { Copy } from "../lib/copying.js";
import { useCell } from "../lib/cell.js";
import { time } from "../lib/format.js";
import { lines } from "../lib/log.js";
import { Page } from "../lib/page.js";
import { Empty } from "../lib/states.js";
import { Text } from "../lib/text.js";
import { html } from "../lib/ui.js";

export default function Log() {
  const all = useCell(lines);
  return html`<${Page} title="Log" about="Every action of this tab, the latest first.">
    ${all.length
      ? html`<div class="scroll"><table>
          <thead><tr><th>Time</th><th>Action</th><th>Result</th><th><span class="unseen">Copy</span></th></tr></thead>
          <tbody>${all.map((line) => html`<tr key=${line.time}>
            <td class="nowrap">${time(line.time)}</td>
            <td><${Text} text=${line.what} /></td>
            <td class=${line.ok ? "" : "bad"}><${Text} text=${line.result} most=${400} /></td>
            <td class="nowrap"><${Copy} what="curl" text=${line.curl} /> <${Copy} what="CLI" text=${line.call} /></td>
          </tr>`)}</tbody>
        </table></div>`
      : html`<${Empty} title="No actions yet">What you do here is listed, to be repeated with curl or on the command line.<//>`}
  <//>`;
}
