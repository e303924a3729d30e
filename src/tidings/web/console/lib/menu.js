// A menu at a place on the page: for the right button, the context-menu key, or below a button.
//
//   openMenu({x, y} or an element, [{text, act, bad}, null, …], "What can be done with channel roads")
//
// null is a line between groups.
import { cell, useCell } from "./cell.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "./ui.js";

const EDGE = 8;
const open = cell(null);

export function openMenu(place, items, label) {
  const { left, bottom } = place instanceof Element ? place.getBoundingClientRect() : { left: place.x, bottom: place.y };
  open.set({ x: left, y: bottom, items, label, before: document.activeElement });
}

function close(focus = true) {
  const { before } = open.value ?? {};
  open.set(null);
  if (focus && before?.isConnected) before.focus();
}

export function Menu() {
  const asked = useCell(open);
  return asked && html`<${Items} key=${asked} ...${asked} />`;
}

function Items({ x, y, items, label }) {
  const element = useRef();
  const [place, setPlace] = useState({ left: x, top: y });
  useLayoutEffect(() => {
    const { width, height } = element.current.getBoundingClientRect();
    setPlace({ left: Math.max(EDGE, Math.min(x, innerWidth - width - EDGE)), top: Math.max(EDGE, Math.min(y, innerHeight - height - EDGE)) });
    element.current.querySelector("button")?.focus();
  }, []);
  useEffect(() => {
    const outside = (event) => element.current?.contains(event.target) || close(false);
    const gone = () => close(false);
    document.addEventListener("pointerdown", outside, true);
    addEventListener("resize", gone);
    addEventListener("hashchange", gone);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      removeEventListener("resize", gone);
      removeEventListener("hashchange", gone);
    };
  }, []);
  const move = (event) => {
    const buttons = [...element.current.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + buttons.length, Home: 0, End: buttons.length - 1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") close();
    else if (to !== undefined) buttons[to % buttons.length].focus();
    else if (event.key.length === 1 && /\S/.test(event.key)) {
      const word = event.key.toLowerCase();
      [...buttons.slice(at + 1), ...buttons].find((one) => one.textContent.trim().toLowerCase().startsWith(word))?.focus();
      return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const choose = (one) => {
    close();
    one.act();
  };
  return html`<div ref=${element} class="menu" role="menu" aria-label=${label} style=${{ left: `${place.left}px`, top: `${place.top}px` }} onKeyDown=${move}>
    ${items.map((one, at) => (one === null ? html`<hr key=${at} />`
      : html`<button key=${at} role="menuitem" tabindex="-1" class=${one.bad ? "bad" : ""} onClick=${() => choose(one)}>${one.text}</button>`))}
  </div>`;
}
