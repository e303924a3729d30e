// The events of one channel: as they come, in the past, and new ones; each with what became of it.
import { cell, useCell } from "../lib/cell.js";
import { useLive } from "../lib/live.js";
import { outlineLoader } from "../lib/outline.js";
import { Page } from "../lib/page.js";
import { change } from "../lib/router.js";
import { Empty, Loaded } from "../lib/states.js";
import { named } from "../lib/text.js";
import { html, useMemo, useState } from "../lib/ui.js";
import { Details } from "./events/details.js";
import { draftOfEvent, emptyDraft } from "./events/draft.js";
import { History } from "./events/history.js";
import { readEvent } from "./events/list.js";
import { Live } from "./events/live.js";
import { Publish } from "./events/publish.js";

const TABS = { live: ["Live", Live], history: ["History", History], publish: ["Publish", Publish] };

// What is typed, and the channel, outlive the page, as long as the tab.
const draft = cell(emptyDraft());
let latest = "";

export default function Events({ query }) {
  const outline = useLive(useMemo(() => outlineLoader({ inside: false }), []), { every: 10, key: "channels" });
  const channels = useMemo(() => outline.data && channelsOf(outline.data.channels), [outline.data]);
  const chosen = channels && (channels.find((one) => String(one.id) === (query.channel ?? latest)) ?? channels[0]);
  if (query.channel) latest = query.channel;
  const tab = query.tab in TABS ? query.tab : "live";
  const choice = chosen && html`<label>Channel <select value=${chosen.id} onChange=${(event) => change({ channel: event.target.value, number: "" })}>
    ${channels.map((one) => html`<option key=${one.id} value=${one.id}>${named("channel", one.id, one.name).replace(/^channel (?=\D)/, "")}</option>`)}
  </select></label>`;
  return html`<${Page} title="Events" actions=${choice}>
    <${Loaded} of=${{ ...outline, loading: !channels && !outline.error }}>${() => (chosen
      ? html`<${Tabs} tab=${tab} /><${Channel} key=${chosen.id} channel=${chosen} tab=${tab} number=${Number(query.number) || 0} />`
      : html`<${Empty} title="No channels yet">Events are published into channels: create one, and they are shown here.<//>`)}<//>
  <//>`;
}

const channelsOf = (table) => table.id.map((id, row) => ({ id, name: table.name[row], consumers: table.consumers[row] }))
  .sort((a, b) => (a.name ? 0 : 1) - (b.name ? 0 : 1) || a.name.localeCompare(b.name) || a.id - b.id);

const Tabs = ({ tab }) => html`<div class="segments event-tabs" role="group" aria-label="What to show">
  ${Object.entries(TABS).map(([id, [word]]) => html`<button key=${id} aria-pressed=${tab === id} onClick=${() => change({ tab: id })}>${word}</button>`)}
</div>`;

function Channel({ channel, tab, number }) {
  const typed = useCell(draft);
  const [known, setKnown] = useState(null);
  const open = (row) => {
    setKnown(row?.event || row?.text ? readEvent(row) : null);
    change({ number: row?.number ?? "" });
  };
  const again = (event) => {
    draft.set(draftOfEvent(event));
    change({ tab: "publish" });
  };
  const View = TABS[tab][1];
  return html`<div class=${number ? "events with-details" : "events"}>
    <div class="events-main"><${View} channel=${channel} chosen=${number} onOpen=${open} draft=${typed} onDraft=${draft.set} /></div>
    ${number > 0 && html`<${Details} key=${number} channel=${channel} number=${number} known=${known} onClose=${() => open(null)} onAgain=${again} />`}
  </div>`;
}
