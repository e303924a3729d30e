// The field for a constraint; the service checks it, and says where it is wrong.
import { visibleLines } from "../../lib/format.js";
import { constraintFault } from "../../lib/schema.js";
import { html, useEffect, useState } from "../../lib/ui.js";

export const isSyntax = (error) => error?.told?.position !== undefined;

export const queryOf = (filter, rest = {}) => new URLSearchParams({ ...(filter.trim() ? { filter } : {}), ...rest }).toString();

// fault: the error of the last request; isAside: whether it is about the other fields of the form
export function Constraint({ value, fault, isAside, onApply, children }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const isHere = isSyntax(fault);
  const told = isHere ? constraintFault(fault.told, fault.message) : isAside ? fault.message : "";
  const submit = (event) => {
    event.preventDefault();
    onApply(typed);
  };
  return html`<form class="constraint code" onSubmit=${submit} novalidate>
    <input type="search" class="mono" spellcheck=${false} autocomplete="off" aria-label="Constraint" placeholder="Constraint, such as $price > 100 (/)"
      aria-invalid=${isHere ? "true" : null} aria-describedby="constraint-fault" value=${typed} onInput=${(event) => setTyped(event.target.value)} />
    ${children}
    <button>${children ? "Search" : "Apply"}</button>
    ${told && html`<p class="fault" id="constraint-fault" role="alert">${visibleLines(told, 500)}</p>`}
  </form>`;
}
