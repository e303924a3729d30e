// What is on offer now, and what the channel's advertiser says of both sides.
import { count } from "/console/lib/format.js";
import { Page, Section } from "/console/lib/page.js";
import { Empty } from "/console/lib/states.js";
import { Text } from "/console/lib/text.js";
import { html } from "/console/lib/ui.js";
import { Offers } from "./offers.js";

const Names = ({ names }) => (names.length ? names.map((one, at) => html`${at > 0 && ", "}<${Text} text=${one} most=${60} />`) : html`<span class="soft">nobody</span>`);

export default function Market({ board }) {
  const more = board.open - board.offers.length;
  return html`<${Page} title="Market" about="What is on offer, and what is wanted.">
    <div class="columns">
      <${Section} title="On offer" about=${`${count(board.open)} open`}>
        ${board.offers.length ? html`<${Offers} label="On offer" offers=${board.offers} />
          ${more > 0 && html`<p class="soft">and ${count(more)} more</p>`}`
          : html`<${Empty} title="Nothing is on offer">Announce something, or let an evening begin.<//>`}
      <//>
      <${Section} title="Offered and wanted" about="by the channel's advertiser">
        ${board.advertised.length ? html`<table aria-label="Offered and wanted">
          <thead><tr><th>Event type</th><th>Offered by</th><th>Wanted by</th></tr></thead>
          <tbody>${board.advertised.map(([type, offered, wanted]) => html`<tr key=${type}>
            <td><code><${Text} text=${type} most=${80} /></code></td><td><${Names} names=${offered} /></td><td><${Names} names=${wanted} /></td>
          </tr>`)}</tbody></table>`
          : html`<${Empty} title="Nobody offers or wants anything">Sellers and buyers appear here.<//>`}
      <//>
    </div>
  <//>`;
}
