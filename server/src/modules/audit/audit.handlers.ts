import * as contract from "@tollgate/contract/endpoints/audit.ts";
import { readPageWindow } from "@tollgate/contract/endpoints/page.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle } from "#http/handler.ts";
import type { AuditProof } from "./audit.ts";
import type { auditStore } from "./audit.store.ts";

type AuditDeps = { readonly store: RemoteStore<typeof auditStore> };

/** Handles the requests of the console API for the audit log. */
export function auditHandlers({ store }: AuditDeps): Handler[] {
  // At most one verification of the audit log runs at a time. Calls that arrive while it runs wait
  // for it and get its result.
  let running: Promise<AuditProof> | null = null;
  const verify = async (): Promise<AuditProof> => {
    running ??= store.verifyAudit().finally(() => {
      running = null;
    });
    return await running;
  };
  return [
    handle(contract.listAudit, async ({ actor, action, target, ...input }) => {
      const { start_timestamp: start = 0, end_timestamp: end = 0, ...sent } = input;
      return await store.pageAudit({ actor, action, target, start, end }, readPageWindow(sent));
    }),

    handle(contract.checkAudit, async () => {
      const proof = await verify();
      const { ok: intact, count } = proof;
      return { intact, count, broken_id: proof.ok ? null : proof.id };
    }),
  ];
}
