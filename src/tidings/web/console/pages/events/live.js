// Events as they come: a bounded list, the latest first, that can be held.
import { ask } from "../../lib/service.js";
import { count, plural, visible } from "../../lib/format.js";
import { useShortcut } from "../../lib/keyboard.js";
import { Empty, Failed } from "../../lib/states.js";
import { follow } from "../../lib/stream.js";
import { html, useEffect, useRef, useState } from "../../lib/ui.js";
import { Constraint, isSyntax, queryOf } from "./constraint.js";
import { EventList } from "./list.js";

const MOST = 1_000; // events kept, shown or held
const BEFORE = 50; // events shown at first
const EVERY = 200; // milliseconds between two looks

const NOTES = {
  overflow: () => "Events came faster than this page reads them; it has gone on from the journal.",
  again: () => "Connected again. The journal has filled in what came meanwhile; BestEffort events of that time are missing.",
  removed: ({ after }) => `Events after ${count(after)} are no longer kept: this continues with the latest.`,
  lost: ({ runs }) => `Destroyed by damage on the disk: ${runs.map(([first, last]) => (first === last ? first : `${first} to ${last}`)).join(", ")}.`,
  dropped: ({ most }) => `Left out while the list was held: ${plural(most, "event")}. History has them.`,
};

export function Live({ channel, chosen, onOpen }) {
  const [filter, setFilter] = useState("");
  const [held, setHeld] = useState(false);
  const [round, setRound] = useState(0);
  const tail = useTail(channel, filter, held, round);
  useShortcut("p", "Hold or continue the list of events", () => setHeld((before) => !before));
  const words = { live: held ? "Held" : "Live", connecting: "Connecting…", ended: "Ended" };
  const syntax = isSyntax(tail.error);
  return html`
    <div class="bar">
      <${Constraint} value=${filter} fault=${tail.error} onApply=${setFilter} />
      <button aria-pressed=${held} onClick=${() => setHeld(!held)}>${held ? `Continue${tail.waiting ? ` (${count(tail.waiting)} new)` : ""}` : "Hold"}</button>
      <button onClick=${tail.clear} disabled=${!tail.rows.length}>Clear</button>
      ${!syntax && html`<span class="soft" role="status"><span class=${`dot ${tail.state === "ended" ? "away" : held || tail.state !== "live" ? "held" : "up"}`}></span> ${words[tail.state]}, ${plural(tail.total, "event")}</span>`}
    </div>
    ${tail.state === "ended" && !syntax && html`<${Failed} error=${tail.error} retry=${() => setRound(round + 1)} />`}
    ${tail.rows.length > 0
      ? html`<${EventList} id="live" label="Events as they come, the latest first" rows=${tail.rows} chosen=${chosen} onOpen=${onOpen} />`
      : tail.state === "live" && html`<${Empty} title="Nothing yet">${filter ? "Events that match are shown as they come." : "Events are shown as they come."}<//>`}`;
}

// {rows, total, waiting, state, error, clear}; rows are the latest first
function useTail(channel, filter, held, round) {
  const [seen, show] = useState(FRESH);
  const holding = useRef(held), kept = useRef();
  holding.current = held;
  useEffect(() => {
    const mine = (kept.current = { ...FRESH, coming: [], dropped: 0, fresh: true });
    const change = (told) => Object.assign(mine, told, { fresh: true });
    const note = (told) => mine.coming.push({ note: visible(NOTES[told.kind](told), 400), key: `note-${performance.now()}` });
    const end = follow(`/v1/channels/${channel.id}/tail?${queryOf(filter)}`, {
      begin: async (missed) => Math.max(0, (await ask("GET", `/v1/channels/${channel.id}`)).seq - (missed ? 0 : BEFORE)),
      onEvent: (event) => {
        mine.coming.push(event);
        if (mine.coming.length > MOST) mine.dropped += mine.coming.splice(0, 1).length;
        change({ total: mine.total + 1 });
      },
      onNote: (told) => {
        if (told.kind === "removed" && !mine.total) return; // it only looked for what came before
        note(told);
        change();
      },
      onState: (state, error = null) => change({ state, error }),
    });
    const look = () => {
      if (!mine.fresh) return;
      if (!holding.current) {
        if (mine.waiting && mine.dropped) note({ kind: "dropped", most: mine.dropped });
        Object.assign(mine, { rows: [...mine.coming.splice(0).reverse(), ...mine.rows].slice(0, MOST), dropped: 0 });
      }
      Object.assign(mine, { waiting: mine.coming.length + mine.dropped, fresh: false });
      show({ ...mine });
    };
    look();
    const timer = setInterval(look, EVERY);
    return () => {
      clearInterval(timer);
      end();
    };
  }, [channel.id, filter, round]);
  useEffect(() => { kept.current.fresh = true; }, [held]);
  return { ...seen, clear: () => Object.assign(kept.current, { rows: [], fresh: true }) };
}

const FRESH = { rows: [], total: 0, waiting: 0, state: "connecting", error: null };
