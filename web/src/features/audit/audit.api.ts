/** The API calls of the audit-log screen. */

import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { auditCountMax, checkAudit, listAudit } from "@tollgate/contract/endpoints/audit.ts";
import type { z } from "zod";
import { call } from "#api/call.ts";
import type { AuditSearch } from "./audit.search.ts";

type AuditInput = Pick<AuditSearch, "action" | "actor" | "end" | "page" | "start" | "target"> & {
  readonly size: number;
};

export function useAudit(input: AuditInput) {
  return useQuery({
    queryKey: ["audit", input],
    queryFn: ({ signal }) => readPage(input, signal),
    placeholderData: keepPreviousData,
  });
}

/** Reads one page of the list, for an export, which reads all pages one after another. */
export async function readPage(
  { page, size, start, end, ...named }: AuditInput,
  signal: AbortSignal,
) {
  const { items, total } = await call(
    listAudit,
    {
      p: page,
      page_size: size,
      ...named,
      ...(start === 0 ? {} : { start_timestamp: start }),
      ...(end === 0 ? {} : { end_timestamp: end }),
    },
    signal,
  );
  return { items, total, capped: total >= auditCountMax };
}

export type AuditProof = z.output<typeof checkAudit.output>;

/** Makes the server recompute the hashes of the whole log, to find changed entries. */
export function useCheckAudit() {
  return useMutation({ mutationFn: () => call(checkAudit, {}) });
}
