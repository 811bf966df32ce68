import { readAffCode } from "@tollgate/contract/endpoints/affiliates.ts";
import { call } from "#api/call.ts";

/** The query of the user's invitation code. The code never changes, so it is read once. */
export const inviteCode = {
  queryKey: ["aff-code"],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
    await call(readAffCode, {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
};
