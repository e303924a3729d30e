// Light, dark, or as the system has it; theme.js in the folder above applies it before the first paint.
import { cell } from "./cell.js";

const KEY = "tidings.theme";

export const theme = cell(localStorage.getItem(KEY) ?? "");

export function setTheme(chosen) {
  if (chosen) {
    localStorage.setItem(KEY, chosen);
    document.documentElement.dataset.theme = chosen;
  } else {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset.theme;
  }
  theme.set(chosen);
}

// What is painted on a canvas must be painted again: rises with every change of colours.
export const colours = cell(0);
const repaint = () => colours.set(colours.value + 1);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
theme.watch(repaint);
