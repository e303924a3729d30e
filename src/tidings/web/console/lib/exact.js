// JSON of events: whole numbers beyond 2^53, which JavaScript rounds, stay as they were written.

const isRounded = (value) => typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);

// Browsers without JSON.rawJSON round them, as JSON.parse does everywhere.
export const parseExact = (text) => JSON.parse(text, (_, value, context) =>
  (isRounded(value) && context?.source && JSON.rawJSON && /^-?\d+$/.test(context.source) ? JSON.rawJSON(context.source) : value));

export const isScalar = (value) => value === null || typeof value !== "object" || Boolean(JSON.isRawJSON?.(value));
