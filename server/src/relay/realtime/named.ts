/** Refuses messages of a session that name what the upstream keeps, unless the channel's ids are shared. */

import { scanObject } from "#base/json-scan.ts";
import { watchedKeys } from "#base/json/watched-keys.ts";
import type { Named } from "#formats/later-turns.ts";
import { namedRules, namingKeys, readNamed } from "#formats/shared/named/named-ids.ts";
import { isUnder, says, textsUnder } from "#formats/shared/named/walk-objects.ts";
import { idNotGiven } from "#relay/call/refusals.ts";
import type { SessionFacts } from "./bill.ts";
import type { Asked } from "./message-reader.ts";

const watched = watchedKeys(namingKeys(["handle", "prompt"]));

/** How Gemini's clients write where the handle of an earlier session stands. */
const resumptions = ["session_resumption", "sessionresumption"];

export const handleField = "setup.sessionResumption.handle";

/** The rules of each API. Items of the session itself have ids as well; these are no other user's. */
const rules = {
  openai: namedRules({
    keys: ["prompt", "response", "session"],
    toolData: [],
    read(object, found) {
      const isSettings = isUnder(object, "session") || isUnder(object, "response");
      if (isSettings && says(object, "prompt")) found.foreign ||= "prompt";
    },
  }),
  gemini: namedRules({
    keys: ["handle", ...resumptions],
    toolData: ["args", "response"],
    read(object, found) {
      if (!resumptions.includes(object.place?.key ?? "")) return;
      for (const text of textsUnder(object, "handle")) {
        if (text !== "") found.given.push({ text, field: handleField, isEcho: false });
      }
    },
  }),
};

/** Finds what a message names of all that the upstream keeps. */
export function namedInMessage(bytes: Uint8Array, api: keyof typeof rules): Named {
  const { isPassed } = scanObject(bytes, [], { watched });
  return isPassed ? readNamed(bytes, rules[api]) : nothing;
}

const nothing: Named = { given: [], foreign: "" };

/** Says why a message does not go on; null: it may. */
export function judgeNames(
  { tried }: Pick<SessionFacts, "tried">,
  bytes: Uint8Array,
  api: keyof typeof rules,
): (Asked & { kind: "refused" }) | null {
  if (tried.at(-1)?.sharesIds === true) return null;
  const { foreign } = namedInMessage(bytes, api);
  if (foreign === "") return null;
  const { code, message } = idNotGiven(foreign);
  // Only a close can tell Gemini's clients of an error.
  return { kind: "refused", ends: api === "gemini", error: { code, message, param: foreign } };
}
