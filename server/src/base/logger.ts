/** The log of the program itself: one JSON object per line on standard output. */

import pino from "pino";

/**
 * Callers pass the fields first, then a fixed text, so that no text from outside is ever used as
 * the format.
 */
export type Logger = pino.Logger;

/** Fields whose values are redacted, on the first two levels of an object. */
const secretFields = ["key", "authorization", "password", "cookie", "secret", "token"];

export function openLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`]), censor: "***" },
  });
}
