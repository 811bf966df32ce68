/** What of re-rates runs beside the database. */

import { defineStore, type RemoteStore } from "#db/store.ts";
import {
  claimRerate,
  hasOpenRerate,
  planUndo,
  stepRerate,
  tellRerate,
} from "./rerate-steps.repo.ts";
import { beginRerate, beginUndo, pageRerates, readRerate, stopRerate } from "./rerates.repo.ts";

export const rerateStore = defineStore({
  reads: { hasOpenRerate, pageRerates, planUndo, readRerate },
  writes: { beginRerate, beginUndo, claimRerate, stepRerate, stopRerate, tellRerate },
});

export type RerateStore = RemoteStore<typeof rerateStore>;
