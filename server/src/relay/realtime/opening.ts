/** What is known of a session before it is opened. */

import type { LiveFormatId } from "#formats/registry.ts";
import type { ClientRequest } from "#http/client-request.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import type { Credential } from "#relay/call/facts.ts";

export type Opening = {
  readonly state: RelayState;
  readonly request: ClientRequest;
  readonly credential: Credential;
  readonly clientIp: string;
  /** The id of the first response. */
  readonly requestId: string;
  readonly formatId: LiveFormatId;
  /** Called once, when a session that was opened has ended. */
  readonly onEnd: () => void;
};
