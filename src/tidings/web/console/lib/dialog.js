// A modal dialog: focus stays in it, Escape closes it, and focus returns to where it was.
import { html, useEffect, useRef } from "./ui.js";

let count = 0;

export function Dialog({ title, onClose, children, wide = false, alert = false }) {
  const element = useRef();
  const id = useRef(`dialog-${++count}`);
  useEffect(() => {
    const before = document.activeElement;
    element.current.showModal();
    return () => before?.isConnected && before.focus();
  }, []);
  const cancel = (event) => {
    event.preventDefault();
    onClose?.();
  };
  return html`<dialog ref=${element} class=${wide ? "wide" : ""} role=${alert ? "alertdialog" : "dialog"}
      aria-labelledby=${id.current} onCancel=${cancel}>
    <header>
      <h2 id=${id.current}>${title}</h2>
      ${onClose && html`<button type="button" class="plain" aria-label="Close" onClick=${onClose}>✕</button>`}
    </header>
    ${children}
  </dialog>`;
}
