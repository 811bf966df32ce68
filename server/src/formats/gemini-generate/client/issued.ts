/**
 * What a conversation of generateContent has of its upstreams: signatures of its parts. Whoever did
 * not sign them refuses the whole conversation.
 */

import type { Json, JsonObject } from "#base/json.ts";
import type { IssuedToFamily, Leaving, LeftOut } from "#formats/later-turns.ts";
import { field, standIn } from "#formats/gemini-generate/wire.ts";
import {
  allIssued,
  lastIssued,
  markOf,
  refusedSignature,
} from "#formats/shared/scan/issued-texts.ts";
import { type Losses, openLosses } from "#formats/shared/losses.ts";
import { listOf, objectOf, textOf } from "#formats/shared/read-json.ts";

const marks = [markOf("thoughtSignature"), markOf("thought_signature")];

export const issuedReader: IssuedToFamily = {
  readBy: "family",
  lastOf: (bytes) => lastIssued(bytes, marks),
  allOf: (bytes) => allIssued(bytes, marks),
  leaveOut,
  refusedAs: refusedSignature,
};

/** Leaves signatures out that the upstream cannot read. */
function leaveOut(body: JsonObject, leaving: Leaving): LeftOut {
  const losses = openLosses();
  const contents = listOf(body["contents"]).flatMap((content) =>
    leaveOfContent(content, leaving, losses),
  );
  return losses.names.length === 0
    ? { body, losses: [] }
    : { body: { ...body, contents }, losses: losses.names };
}

function leaveOfContent(given: Json, leaving: Leaving, losses: Losses): readonly Json[] {
  const content = objectOf(given);
  if (content["role"] !== "model") return [given];
  const parts = listOf(content["parts"]).flatMap((part) => leaveOfPart(part, leaving, losses));
  if (!leaving.takesUnsigned) signFirstCall(parts, losses);
  return parts.length === 0 ? [] : [{ ...content, parts }];
}

function leaveOfPart(given: Json, { keeps }: Leaving, losses: Losses): Json[] {
  const part = objectOf(given);
  const text = textOf(field(part, "thoughtSignature"));
  if (text === "" || text === standIn || keeps(text)) return [given];
  losses.add("signatures of earlier turns");
  const { thoughtSignature: _, thought_signature: __, ...unsigned } = part;
  const isEmpty = Object.values(unsigned).every((value) => value === "" || value === true);
  return isEmpty ? [] : [unsigned];
}

/** The first call of a turn must be signed, or say that another model made it. */
function signFirstCall(parts: Json[], losses: Losses): void {
  const at = parts.findIndex((part) => field(objectOf(part), "functionCall") !== undefined);
  const call: JsonObject = objectOf(parts[at]);
  if (at < 0 || textOf(field(call, "thoughtSignature")) !== "") return;
  losses.add("signatures of earlier turns");
  parts[at] = { ...call, thoughtSignature: standIn };
}
