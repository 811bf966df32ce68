/** What the operations of a batch need to be read before they are decided. */

import type { ReservationTable } from "#db/tables/ledger.ts";
import type { Batch, Operation } from "./operations.ts";

/**
 * Returns the request ids of the batch that other nodes may have ended as interrupted: settled
 * calls without a reservation and, if the batch was sent before or the node was taken for dead
 * before, failed calls and new reservations. Normally there are none.
 */
export function lostIds(
  { epoch, again, operations }: Batch,
  reservations: ReadonlyMap<string, ReservationTable>,
): string[] {
  const mayBeLost = again || epoch > 1;
  return operations.flatMap((operation) => {
    switch (operation.type) {
      case "settle":
        return reservations.has(operation.id) ? [] : [operation.id];
      case "take":
        return mayBeLost ? [operation.facts.id] : [];
      case "fail":
        return mayBeLost ? [operation.log.requestId] : [];
      case "budget":
      case "more":
      case "open":
      case "release":
      case "reverse":
        return [];
    }
  });
}

/** Returns the call and the accounts that an operation reads or changes; undefined: none. */
export function accountsOf(
  operation: Operation,
  grants: boolean,
): { id: string; userId: number; tokenId: number } | undefined {
  switch (operation.type) {
    case "reverse":
    case "settle":
      return { id: operation.id, userId: operation.log.userId, tokenId: operation.log.tokenId };
    case "take": {
      const { id, userId, tokenId, tokenLimited, budget } = operation.facts;
      return { id, userId, tokenId: tokenLimited || budget !== undefined ? tokenId : 0 };
    }
    case "more": {
      const { id, userId, tokenId, tokenLimited, budget } = operation;
      return { id, userId, tokenId: tokenLimited || budget !== undefined ? tokenId : 0 };
    }
    case "budget":
      return { id: "", userId: 0, tokenId: operation.tokenId };
    case "release":
      return grants ? operation : undefined;
    case "fail":
    case "open":
      return undefined;
  }
}
