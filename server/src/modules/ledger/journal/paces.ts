/**
 * How long operations wait for others, by database. On SQLite a call in its first milliseconds has no
 * row yet, so if the process crashes then, the call is not logged as interrupted. The user was not
 * charged for it. On PostgreSQL calls wait until their reservations are written, and a transaction
 * costs so much more that many calls share it: their ends, and their reservations.
 */

import type { Dialect } from "#db/dialect.ts";
import { noPace, type QueuePace } from "#modules/ledger/queue.ts";

type Paces = {
  /** Of what goes into the journal. */
  readonly pace: QueuePace;
  /** Of what the books judge. */
  readonly judgedPace: QueuePace;
};

export const pacesOf: Readonly<Record<Dialect, Paces>> = {
  sqlite: {
    pace: {
      youngMs: 5,
      aloneMs: 20,
      gatherMs: 2,
      shareMs: 3,
      shareFrom: 8,
      shares: "stream-ends",
    },
    judgedPace: noPace,
  },
  postgres: {
    pace: { ...noPace, shareMs: 3, shareFrom: 32, shares: "ends" },
    judgedPace: { ...noPace, shareMs: 3, shareFrom: 16, shares: "takes" },
  },
};
