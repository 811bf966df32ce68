/** How the texts of a call are gathered, to be stored. */

import type { ClientFormatId } from "#formats/registry.ts";

/** Gathers the texts of one call while it runs. */
export type Transcript = {
  /** Adds bytes that are sent to the client; they are copied. */
  add(bytes: Uint8Array | string): void;
  /** The call has ended. Its texts are stored later, and nobody waits for that. */
  end(call: {
    readonly requestId: string;
    readonly userId: number;
    readonly formatId: ClientFormatId;
    readonly isStream: boolean;
    readonly request: Uint8Array;
  }): void;
};
