// What a line of a log says, in words, and between whom something passes.
const clock = new Intl.DateTimeFormat("en", { timeStyle: "medium", hourCycle: "h23", timeZone: "UTC" });

export const sceneTime = (microseconds) => (microseconds ? clock.format(new Date(microseconds / 1000)) : "–");

const HEARD = {
  Speed: (about) => `hears ${about.license_no} drive ${about.rate} km/h`,
  Location: (about) => `hears where ${about.license_no} is`,
  Brake: (about) => `hears ${about.license_no} ${about.brakes ? "brake" : "brake no more"}`,
};
const WORDS = {
  drove: (about) => `drives ${about.rate} km/h${about.brakes ? " and brakes" : ""}`,
  heard: (about) => HEARD[about.subject]?.(about) ?? about.subject,
  shows: (about) => `sign shows ${about.limit}`,
  asked: (about) => `sets limit ${about.limit} at ${about.targets}`,
  reported: (about) => `gets ${about.licence}: ${about.rate} km/h at ${about.road}, limit ${about.limit}`,
  fined: (about) => `fines ${about.licence} ${about.euros} euros: ${about.rate} km/h at ${about.road}, limit ${about.limit}`,
};

export const wordsOf = ({ word, about }) => WORDS[word]?.(about) ?? word;

// Pairs of names between which a line shows something passing.
export function passing({ entity, word, about }, city) {
  if (word === "heard") return [[carOf(about.license_no, city), entity]];
  if (word === "reported" || word === "fined") return [[about.road, entity]];
  if (word === "asked") return named(about.targets, city).map((road) => [entity, road]);
  return [];
}

const carOf = (licence, city) => Object.keys(city.cars).find((name) => city.cars[name] === licence);

// A distribution list of names, in which * stands for any characters and ? for one.
export function named(targets, city) {
  const parts = targets.split(",").map((one) => one.trim().replace(/[.+^$()|[\]{}\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, "."));
  return Object.keys(city.roads).filter((road) => parts.some((part) => part && new RegExp(`^${part}$`).test(road)));
}
