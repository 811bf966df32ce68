/** The program's own log: one JSON object a line on standard output. */

import pino from "pino";

/** Fields first, then a fixed text: no outside text ever becomes the format. */
export type Logger = pino.Logger;

/** Field names whose values never reach a line, at any of the first two levels. */
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
