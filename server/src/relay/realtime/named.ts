/** Refuses messages of a session that name what the upstream keeps, unless the channel's ids are shared. */

import type { LiveFormat, MessageReader, RefusedMessage } from "#formats/live.ts";
import { idNotGiven } from "#relay/call/refusals.ts";
import type { SessionFacts } from "./bill.ts";

/** How a session reads its messages. */
export type Reading = {
  readonly reader: MessageReader;
  readonly readNames: LiveFormat["readNames"];
};

/** Says why a message does not go on; null: it may. */
export function judgeNames(
  { tried }: Pick<SessionFacts, "tried">,
  bytes: Uint8Array,
  { reader, readNames }: Reading,
): RefusedMessage | null {
  if (tried.at(-1)?.sharesIds === true) return null;
  const { foreign } = readNames(bytes);
  if (foreign === "") return null;
  const { code, message } = idNotGiven(foreign);
  const onlyCloseTells = reader.errorMessage === undefined;
  return { kind: "refused", ends: onlyCloseTells, error: { code, message, param: foreign } };
}
