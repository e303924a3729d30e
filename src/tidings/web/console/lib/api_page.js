// What the page of the API gets beside what the service has written there.
import { Trial } from "./trial.js";
import { html, render, useState } from "./ui.js";

// Each operation gets a button, which opens a form to send it; what was typed there stays when it is closed.
export function offerTrials(sections) {
  for (const section of sections) {
    const header = section.querySelector("header"), button = document.createElement("button");
    const place = document.createElement("div");
    const show = (shown) => {
      place.hidden = !shown;
      button.textContent = shown ? "Close" : "Try it";
      button.setAttribute("aria-label", `${button.textContent}: ${header.querySelector("h3").textContent}`);
      button.setAttribute("aria-expanded", shown);
    };
    button.addEventListener("click", () => {
      if (!place.hasChildNodes()) render(html`<${Trial} id=${section.id} />`, place);
      show(place.hidden);
    });
    show(false);
    header.append(button);
    header.after(place);
  }
}

// Hides what does not have all the words, and the headings of what is hidden.
export function ContentsSearch({ contents }) {
  const [text, setText] = useState("");
  const search = (event) => {
    setText(event.target.value);
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (item) => words.every((word) => `${item.textContent} ${item.title}`.toLowerCase().includes(word));
    for (const list of contents.querySelectorAll("ul")) {
      for (const item of list.children) item.hidden = !has(item);
      list.previousElementSibling.hidden = list.hidden = [...list.children].every((item) => item.hidden);
    }
  };
  return html`<input type="search" placeholder="Search (/)" aria-label="Search the operations" value=${text} onInput=${search} />`;
}
