// An editor for constraints: a textarea, and below it the same text with colours, marks and the place for completions.
//
//   <Editor text onText choices marks label invalid describedby />
//
//   choices  (kind) → [{name, about}]: what a "name", "domain" or "type" can be completed to
//   marks    [{start, end, tone}]: what is underlined
import { fitting, pieces, spelled, wordAt } from "./etcl.js";
import { hasHidden } from "./format.js";
import { Text } from "./text.js";
import { html, useLayoutEffect, useMemo, useRef, useState } from "./ui.js";

const MOST = 50;
const ID = "constraint";
const LIST = "constraint-choices";

// Types something in the place of a part; Ctrl+Z takes it back.
export function typeInto(element, start, end, text) {
  element.focus();
  element.setSelectionRange(start, end);
  document.execCommand(text ? "insertText" : "delete", false, text);
}

export const replaceAll = (text) => {
  const element = document.getElementById(ID);
  typeInto(element, 0, element.value.length, text);
};

export function Editor({ text, onText, choices, marks, label, invalid, describedby }) {
  const area = useRef(), place = useRef();
  const [caret, setCaret] = useState(null); // null while completion is not wanted
  const [chosen, setChosen] = useState(0);
  const word = useMemo(() => (caret === null ? null : wordAt(text, caret)), [text, caret]);
  const found = useMemo(() => (word ? fitting(choices(word.kind), word.typed).slice(0, MOST) : []), [word, choices]);
  const at = Math.min(chosen, found.length - 1);
  const input = (event) => {
    onText(event.target.value);
    setCaret(event.target.selectionEnd);
    setChosen(0);
  };
  const accept = (name) => {
    const { start, end } = word;
    const whole = word.kind === "name" ? end + /^\w*/.exec(text.slice(end))[0].length : end;
    setCaret(null);
    typeInto(area.current, start, whole, spelled(word, name, text.slice(end)));
    setCaret(null); // what was typed in asks for no completion of its own
  };
  const keys = (event) => {
    if (event.isComposing) return;
    if (event.key === " " && event.ctrlKey) setCaret(area.current.selectionEnd);
    else if (!found.length) return;
    else if (event.key === "ArrowDown") setChosen((at + 1) % found.length);
    else if (event.key === "ArrowUp") setChosen((at + found.length - 1) % found.length);
    else if (event.key === "Enter" || (event.key === "Tab" && !event.shiftKey)) accept(found[at].name);
    else if (event.key === "Escape") setCaret(null);
    else return /^(Arrow|Home|End|Page)/.test(event.key) && setCaret(null);
    event.preventDefault();
  };
  return html`<div class="editor">
    <div class="editor-text"><div class="editor-layers">
      <${Coloured} text=${text} marks=${marks} word=${found.length ? word : null} place=${place} />
      <textarea ref=${area} id=${ID} class=${hasHidden(text) ? "plain-text" : ""} rows="3" value=${text} aria-label=${label} spellcheck=${false} autocapitalize="off" autocomplete="off"
        role="combobox" aria-autocomplete="list" aria-haspopup="listbox" aria-expanded=${found.length > 0} aria-controls=${found.length ? LIST : null}
        aria-activedescendant=${found.length ? `${LIST}-${at}` : null} aria-invalid=${invalid} aria-describedby=${describedby}
        placeholder="$rate > 50 and exist $zone" onInput=${input} onKeyDown=${keys} onPointerDown=${() => setCaret(null)} onBlur=${() => setCaret(null)}></textarea>
    </div></div>
    ${found.length > 0 && html`<${Choices} found=${found} at=${at} place=${place} onAccept=${accept} />`}
  </div>`;
}

function Coloured({ text, marks, word, place }) {
  if (hasHidden(text)) return html`<div class="editor-shown" aria-hidden="true"></div>`; // what cannot be seen has no place to be seen at
  const kinds = pieces(text);
  const ends = [...new Set([0, text.length, ...[...kinds, ...marks].flatMap((one) => [one.start, one.end]), ...(word ? [word.start] : [])])].sort((a, b) => a - b);
  const within = (one, from) => one.start <= from && from < one.end;
  return html`<div class="editor-shown" aria-hidden="true">${ends.slice(0, -1).map((from, index) => html`<span key=${from}
    ref=${word?.start === from ? place : null}
    class=${[kinds.find((one) => within(one, from))?.kind, marks.find((one) => within(one, from))?.tone].filter(Boolean).map((one) => `etcl-${one}`).join(" ")}
    >${text.slice(from, ends[index + 1])}</span>`)}${text.endsWith("\n") || !text ? " " : ""}${marks.some((one) => one.start >= text.length) && html`<span class="etcl-error"> </span>`}</div>`;
}

function Choices({ found, at, place, onAccept }) {
  const list = useRef();
  useLayoutEffect(() => {
    const around = list.current.offsetParent.getBoundingClientRect();
    const line = (place.current?.getClientRects()[0]) ?? around;
    const room = Math.max(0, around.width - list.current.offsetWidth);
    Object.assign(list.current.style, { left: `${Math.min(line.left - around.left, room)}px`, top: `${line.bottom - around.top + 4}px` });
  });
  useLayoutEffect(() => list.current.children[at]?.scrollIntoView({ block: "nearest" }), [at]);
  return html`<ul ref=${list} id=${LIST} class="choices" role="listbox" aria-label="Completions">
    ${found.map((one, index) => html`<li key=${one.name} id=${`${LIST}-${index}`} role="option" aria-selected=${index === at}
      onPointerDown=${(event) => { event.preventDefault(); onAccept(one.name); }}>
      <code><${Text} text=${one.name} /></code> <small><${Text} text=${one.about} /></small></li>`)}
  </ul>`;
}
