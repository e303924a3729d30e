// The mark of an event in a federation, as its header property `Federation` has it. Pure.
//
//   system/origin/stream/number/path    a path is names of services, commas between, the origin first
//   …/before                            … and the federations that it has passed before this one

export const PROPERTY = "Federation";

// {system, origin, number, path, before}; null for what is no mark.
export function markOf(text) {
  if (typeof text !== "string") return null;
  const parts = text.split("/");
  if (![5, 6].includes(parts.length) || !parts[0] || !/^\d{1,19}$/.test(parts[3])) return null;
  try {
    const names = (list = "") => list.split(",").filter(Boolean).map(decodeURIComponent);
    const [system, origin] = parts.slice(0, 2).map(decodeURIComponent);
    return { system, origin, number: parts[3], path: names(parts[4]), before: names(parts[5]) };
  } catch {
    return null; // what is no UTF-8
  }
}
