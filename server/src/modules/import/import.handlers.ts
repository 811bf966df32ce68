/** The console API of imports. */

import * as contract from "@tollgate/contract/endpoints/imports.ts";
import { type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { ImportStore } from "./imports.store.ts";

type ImportDeps = {
  readonly store: ImportStore;
  /** Resolves when the written changes are in effect on this node. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export function importHandlers({ store, applyChanges, now }: ImportDeps): Handler[] {
  return [
    handle(contract.listImports, async () => await store.listImports()),

    handle(contract.openImportedUser, async ({ id, user }, caller) => {
      const actor = actorOf(caller);
      const username = await store.openUser({ id, user, actor, nowMs: now() });
      await applyChanges();
      return { username };
    }),
  ];
}
