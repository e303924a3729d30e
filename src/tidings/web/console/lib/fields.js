// The fields of a form that is made from a schema (schema.js).
import { count, visible } from "./format.js";
import { html, useState } from "./ui.js";

const SIMPLE = new Set(["text", "name", "whole", "number", "duration", "time", "moment", "choice", "flag", "value"]);

const MOST_LINES = 16;

// One field; `faults` has messages by the paths of fields.
export function Field({ field, draft, onDraft, path, faults }) {
  const View = VIEWS[field.kind];
  return html`<${View} ...${{ field, draft, onDraft, path, faults }} />`;
}

const idOf = (path) => `field-${path.replace(/[^\w]+/g, "-")}`;

function about(field) {
  if (field.kind === "duration") return "Such as 500ms, 5s or 10m.";
  if (field.isTable) return "JSON, such as {\"name\": 7}.";
  if (field.kind === "time") return "Such as 2026-01-31T12:00:00Z.";
  if (field.low !== undefined && field.high < Number.MAX_SAFE_INTEGER) return `${count(field.low)} to ${count(field.high)}.`;
  if (field.low !== undefined) return `${count(field.low)} or more.`;
  return "";
}

function Around({ field, path, faults, children }) {
  const fault = faults[path], hint = [field.text, about(field)].filter(Boolean).join(" ");
  const id = idOf(path);
  return html`<div class=${`field ${field.kind}`}>
    <label for=${id}>${field.label}${field.required && field.kind !== "choice" && html` <span class="soft">required</span>`}</label>
    ${children}
    ${fault && html`<p class="fault" id=${`${id}-fault`}>${fault}</p>`}
    ${hint && html`<small id=${`${id}-hint`}>${hint.replaceAll("\`", "")}</small>`}
  </div>`;
}

const told = (path, faults) => ({
  id: idOf(path),
  "aria-invalid": faults[path] ? "true" : null,
  "aria-describedby": `${idOf(path)}-fault ${idOf(path)}-hint`,
});

const shownDefault = (field) => (field.default === undefined || field.default === null || typeof field.default === "object" ? "" : String(field.default));

const Line = (given) => {
  const { field, draft, onDraft, path, faults } = given;
  return html`<${Around} ...${given}>
    <input ...${told(path, faults)} type=${field.secret ? "password" : "text"} value=${draft ?? ""} autocomplete=${field.secret ? "new-password" : "off"}
      spellcheck=${false} inputmode=${field.kind === "whole" ? "numeric" : null} placeholder=${shownDefault(field)} maxlength=${field.most ?? null}
      onInput=${(event) => onDraft(event.target.value)} />
  <//>`;
};

// A moment in the viewer's zone.
const Moment = (given) => {
  const { draft, onDraft, path, faults } = given;
  return html`<${Around} ...${given}>
    <input ...${told(path, faults)} type="datetime-local" value=${draft ?? ""} onInput=${(event) => onDraft(event.target.value)} />
  <//>`;
};

const Area = (given) => {
  const { draft, onDraft, path, faults } = given;
  const lines = (draft ?? "").split("\n").length;
  return html`<${Around} ...${given}>
    <textarea ...${told(path, faults)} rows=${Math.min(MOST_LINES, Math.max(3, lines))} spellcheck=${false} value=${draft ?? ""} onInput=${(event) => onDraft(event.target.value)}></textarea>
  <//>`;
};

const Choice = (given) => {
  const { field, draft, onDraft, path, faults } = given;
  const unset = field.default !== undefined && field.default !== null ? `${field.default} (default)` : "–";
  return html`<${Around} ...${given}>
    <select ...${told(path, faults)} value=${draft ?? ""} onChange=${(event) => onDraft(event.target.value)}>
      <option value="">${unset}</option>
      ${field.words.map((word) => html`<option value=${String(word)}>${String(word)}</option>`)}
    </select>
  <//>`;
};

const Flag = (given) => {
  const { field, draft, onDraft, path, faults } = given;
  const unset = field.default === undefined || field.default === null ? "–" : `${field.default ? "Yes" : "No"} (default)`;
  return html`<${Around} ...${given}>
    <select ...${told(path, faults)} value=${draft === undefined ? "" : String(draft)} onChange=${(event) => onDraft(event.target.value || undefined)}>
      <option value="">${unset}</option><option value="true">Yes</option><option value="false">No</option>
      ${field.nullable && html`<option value="null">As the service decides</option>`}
    </select>
  <//>`;
};

function Group({ field, children, fault }) {
  return html`<fieldset><legend>${field.label}</legend>
    ${field.text && html`<small>${field.text.replaceAll("\`", "")}</small>`}
    ${fault && html`<p class="fault">${fault}</p>`}
    ${children}
  </fieldset>`;
}

const replaced = (all, at, value) => all.map((one, index) => (index === at ? value : one));
const removed = (all, at) => all.filter((_, index) => index !== at);

const List = ({ field, draft = [], onDraft, path, faults }) => html`<${Group} field=${field} fault=${faults[path]}>
  ${draft.map((one, at) => html`<div class="item" key=${at}>
    <${Field} field=${{ ...field.item, label: `${field.item.label} ${at + 1}`, isItem: true }} draft=${one} path=${`${path}[${at}]`} faults=${faults}
      onDraft=${(value) => onDraft(replaced(draft, at, value))} />
    <button type="button" class="plain" aria-label=${`Remove ${field.item.label} ${at + 1}`} onClick=${() => onDraft(removed(draft, at))}>✕</button>
  </div>`)}
  <button type="button" class="small" onClick=${() => onDraft([...draft, field.item.kind === "object" ? {} : ""])}>Add ${field.item.label.toLowerCase()}</button>
<//>`;

const Choices = ({ field, draft = [], onDraft, path, faults }) => html`<${Group} field=${field} fault=${faults[path]}>
  <div class="checks">${field.item.words.map((word) => html`<label key=${word} class="check"><input type="checkbox" checked=${draft.includes(word)}
    onChange=${(event) => onDraft(event.target.checked ? [...draft, word] : draft.filter((one) => one !== word))} /> ${word}</label>`)}</div>
<//>`;

const Pairs = ({ field, draft = [], onDraft, path, faults }) => html`<${Group} field=${field} fault=${faults[path]}>
  ${draft.map(({ key, value }, at) => html`<div class="item pair" key=${at}>
    <input aria-label=${`${field.keyLabel ?? "Id"} ${at + 1}`} value=${key} placeholder=${(field.keyLabel ?? "Id").toLowerCase()} onInput=${(event) => onDraft(replaced(draft, at, { key: event.target.value, value }))} />
    <${Field} field=${{ ...field.item, label: "" }} draft=${value} path=${`${path}[${key}]`} faults=${faults}
      onDraft=${(next) => onDraft(replaced(draft, at, { key, value: next }))} />
    <button type="button" class="plain" aria-label=${`Remove ${at + 1}`} onClick=${() => onDraft(removed(draft, at))}>✕</button>
  </div>`)}
  <button type="button" class="small" onClick=${() => onDraft([...draft, { key: "", value: undefined }])}>Add</button>
<//>`;

// Members of an object; what is optional and nested is folded until it has something.
function Members({ field, draft = {}, onDraft, path, faults }) {
  const one = (member) => html`<${Field} key=${member.name} field=${member} draft=${draft[member.name]}
    path=${path ? `${path}.${member.name}` : member.name} faults=${faults}
    onDraft=${(value) => onDraft({ ...draft, [member.name]: value })} />`;
  const simple = field.members.filter((member) => SIMPLE.has(member.kind));
  const rest = field.members.filter((member) => !SIMPLE.has(member.kind));
  return html`${simple.length > 0 && html`<div class=${simple.length > 3 ? "members many" : "members"}>${simple.map(one)}</div>`}${rest.map(one)}`;
}

// What is in a draft beside what there would be without it.
const isFilled = (field, draft) => field.members.some((one) => {
  const value = draft?.[one.name];
  if (one.kind === "object") return isFilled(one, value);
  return value !== undefined && value.length !== 0 && String(value) !== String(one.default ?? "");
});

// An object that is folded: it is open at first if something in it is to be seen, an entry of a list if it is new.
function Nested(given) {
  const { field, draft, path, faults } = given;
  const inside = Object.keys(faults).some((where) => where.startsWith(`${path}.`));
  const [opens] = useState(isFilled(field, draft) !== Boolean(field.isItem));
  if (field.isOpen || (field.required && field.members.length < 4)) return html`<${Group} field=${field} fault=${faults[path]}><${Members} ...${given} /><//>`;
  const names = field.isItem ? field.members.filter((one) => one.required && draft?.[one.name]).map((one) => draft[one.name]) : [];
  return html`<details open=${inside || opens || null}><summary>${field.label}${names.length > 0 && html` <span class="soft">${visible(names.join(", "), 120)}</span>`}</summary>
    ${field.text && html`<small>${field.text.replaceAll("\`", "")}</small>`}
    ${faults[path] && html`<p class="fault">${faults[path]}</p>`}
    <${Members} ...${given} />
  </details>`;
}

const VIEWS = {
  text: Line, name: Line, value: Line, whole: Line, number: Line, duration: Line, time: Line, moment: Moment,
  code: Area, json: Area, choice: Choice, flag: Flag, list: List, choices: Choices, map: Pairs, object: Nested,
};

// The body of a request: its members without a frame around them.
export const Body = ({ field, draft, onDraft, faults }) => (field.kind === "object"
  ? html`<${Members} field=${field} draft=${draft} onDraft=${onDraft} path="" faults=${faults} />`
  : html`<${Field} field=${{ ...field, label: field.label || "Body" }} draft=${draft} onDraft=${onDraft} path="" faults=${faults} />`);
