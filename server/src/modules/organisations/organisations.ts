/** What other modules use of organisations. */

import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import type { Caller } from "#http/handler.ts";

/** What the organisations module offers. */
export type Organisations = {
  /**
   * Lets a caller act for the organisation that a header names.
   * @throws Refusal `not-found` for an organisation that the caller does not belong to,
   * `not-allowed` for a call that is not for organisations, or without the right.
   */
  actFor(endpoint: Endpoint, caller: Caller, header: string): Promise<Caller>;
};
