// Notices: a list, and one as a document with the differences marked, to be acknowledged.
import { useCell } from "/console/lib/cell.js";
import { fullTime, plural, time, visible, visibleLines } from "/console/lib/format.js";
import { Page, Section } from "/console/lib/page.js";
import { address, change, useRoute } from "/console/lib/router.js";
import { Empty } from "/console/lib/states.js";
import { Text } from "/console/lib/text.js";
import { html, useEffect, useRef, useState } from "/console/lib/ui.js";
import { acknowledge, goOn, line, notices, open, subscriber, waiting } from "./inbox.js";

const KINDS = {
  CHANGE_TYPE: "Service type changes",
  CHANGE_PROPERTY_VAL: "Properties change",
  REMOVAL_SERVICE: "Service removed",
  INSTANTIATION_SERVICE: "New service",
};
const VERDICTS = { true: ["good", "clients can go on"], false: ["bad", "breaks clients"] };

const LONGEST_LINE = 4_000;
const STATES = {
  opening: "Connecting…",
  open: "New notices arrive here by themselves.",
  away: "Not connected; notices wait at the service.",
};

export default function Notices() {
  const who = useCell(subscriber), all = useCell(notices), state = useCell(line), unread = useCell(waiting);
  const { query } = useRoute();
  const [read, showRead] = useState(false);
  useEffect(goOn, []);
  if (!who || state === "unknown")
    return html`<${Page} title="Notices" about="What changes about the services you use.">
      <${Empty} title=${who ? `Nobody has picked services as ${visible(who, 64)}` : "Nobody has picked services here yet"}>
        <a href=${address("pick")}>Choose what to hear of</a>; what comes while this page is closed waits for you.<//><//>`;
  const shown = read ? all : all.filter((one) => !one.acknowledged);
  const chosen = all.find((one) => `${one.seq}` === query.at) ?? shown[0];
  const actions = all.length > unread && html`<label class="check"><input type="checkbox" checked=${read} onChange=${(event) => showRead(event.target.checked)} /> Show those that are acknowledged</label>`;
  return html`<${Page} title="Notices" about=${html`For <${Text} text=${who} />: ${plural(unread, "notice")} to be acknowledged. <span role="status">${STATES[state] ?? ""}</span>`} actions=${actions}>
    ${state === "elsewhere" && html`<p class="meanwhile" role="alert">Another page has the notices of this subscriber now. <button class="small" onClick=${open}>Read them here</button></p>`}
    ${shown.length || chosen ? html`<div class="inbox">
        <${List} all=${shown} chosen=${chosen} />
        ${chosen && html`<${Document} key=${chosen.seq} notice=${chosen} mayAcknowledge=${state === "open"} />`}
      </div>` : html`<${Empty} title="No notices">The next change of what you have picked appears here.<//>`}
  <//>`;
}

const List = ({ all, chosen }) => html`<ul class="notice-list" aria-label="Notices">
  ${all.map((one) => html`<li key=${one.seq}><button aria-current=${one === chosen ? "true" : null} onClick=${() => change({ at: `${one.seq}` })}>
    <span class="notice-what"><b>${KINDS[one.kind]}</b>${!one.acknowledged && html` <span class="fresh"><span class="unseen">not acknowledged</span></span>`}</span>
    <span class="notice-whose"><${Text} text=${one.service} />${one.name && html` · <${Text} text=${one.name} most=${60} />`}</span>
    <span class="notice-when">${one.advance ? html`<span class="tag">announced</span>` : time(one.timestamp)}
      ${one.advance && one.effective && html` for ${time(one.effective)}`}
      ${one.compatible !== null && html` <span class=${VERDICTS[one.compatible][0]}>${VERDICTS[one.compatible][1]}</span>`}</span>
  </button></li>`)}
</ul>`;

function Document({ notice, mayAcknowledge }) {
  const [asXml, setAsXml] = useState(false);
  const title = `${notice.id}: ${KINDS[notice.kind]}`;
  const actions = html`<div class="segments event-tabs" role="group" aria-label="How to show it">
      <button aria-pressed=${!asXml} onClick=${() => setAsXml(false)}>Document</button><button aria-pressed=${asXml} onClick=${() => setAsXml(true)}>XML</button></div>
    ${notice.acknowledged ? html`<span class="soft">acknowledged</span>`
      : html`<button class="primary" disabled=${!mayAcknowledge} onClick=${() => acknowledge(notice)}>Acknowledge</button>`}`;
  return html`<${Section} title=${title} about=${html`${notice.by ? html`announced by <${Text} text=${notice.by} /> on ` : "came "}${fullTime(notice.timestamp)}`} actions=${actions}>
    ${asXml ? html`<pre tabindex="0" class="notice-xml">${visibleLines(notice.xml, LONGEST_LINE)}</pre>` : html`<${Article} text=${notice.html} />`}
  <//>`;
}

// The document that the agent has made: its texts are escaped, and no page of ours runs code that comes this way.
function Article({ text }) {
  const place = useRef();
  useEffect(() => {
    const made = new DOMParser().parseFromString(text, "text/html").querySelector("article");
    const texts = document.createTreeWalker(made, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) texts.currentNode.data = visibleLines(texts.currentNode.data, LONGEST_LINE);
    place.current.replaceChildren(made);
  }, [text]);
  return html`<div ref=${place} class="document"></div>`;
}
