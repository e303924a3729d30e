// JSON whose integers may be longer than JavaScript's numbers: those stay as they are written.
const isTooLong = (value) => Number.isInteger(value) && !Number.isSafeInteger(value);

export const parseExactly = (text) =>
  JSON.parse(text, (_, value, { source } = {}) => (isTooLong(value) && source && JSON.rawJSON ? JSON.rawJSON(source) : value));
