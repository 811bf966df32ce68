/**
 * Continues answers that the gateway keeps for clients, while option `ResponsesStoreDays` is on, and
 * gives new ones to be kept.
 */

import type { Conversation, Credential } from "./facts.ts";
import { type JsonObject, parseExact } from "#base/json.ts";
import type { ClientFormat, RequestBody, RequestPath } from "#formats/format.ts";
import type { KeptReader } from "#formats/later-turns.ts";
import { answerNotKept, answersNotKept, bodyRefused, bodyTooLarge } from "./refusals.ts";
import type { OpenCall } from "./attempt-state.ts";
import type { RelayDeps } from "#relay/deps.ts";

type Read = { readonly bytes: Uint8Array; readonly body: RequestBody };

type Continued = Read & { readonly conversation: Conversation };

/** The longest id that is looked up, in characters; the gateway's own have about 50. */
export const keptIdLengthMax = 256;

/**
 * Puts the conversation that a request continues in front of its input, if the gateway keeps it.
 *
 * @throws CallRefusal 400 when it should be kept here and is not; 413 when both are too long.
 */
export async function continueKept(
  { answers, snapshot }: Pick<RelayDeps, "answers" | "snapshot">,
  format: ClientFormat,
  reader: KeptReader,
  { user }: Pick<Credential, "user">,
  { bytes, body, path }: Read & { readonly path: RequestPath },
): Promise<Continued> {
  const { bodyBytesMax, keepsAnswersDays } = snapshot.options;
  const isOn = keepsAnswersDays > 0;
  const keepsAnswer = isOn && reader.mayKeep(bytes);
  const id = reader.continued(bytes, body);
  const isLookedUp = isOn && id !== "" && id.length <= keptIdLengthMax;
  const kept = isLookedUp ? await answers.find(id, user.id) : null;
  if (kept === null) {
    if (!reader.isOwnId(id)) return { bytes, body, conversation: { previousId: "", keepsAnswer } };
    throw isOn ? answerNotKept(reader.field) : answersNotKept(reader.field);
  }
  // Safe casts: `readRequest` has checked that the bytes are one JSON object, and what is kept was.
  const given = parseExact(new TextDecoder().decode(bytes)) as JsonObject;
  const input = parseExact(kept.input);
  const answer = parseExact(kept.answer) as JsonObject;
  const joined = new TextEncoder().encode(JSON.stringify(reader.join(given, { input, answer })));
  if (joined.length > bodyBytesMax) throw bodyTooLarge(bodyBytesMax);
  const read = format.readRequest(joined, path);
  if ("message" in read) throw bodyRefused(read.code, read.param, read.message);
  return { bytes: joined, body: read, conversation: { previousId: id, keepsAnswer } };
}

/** Has a complete answer kept, with the input of its request. Returns before it is stored. */
export function keepAnswer(
  { answers }: Pick<RelayDeps, "answers">,
  { body, bytes, conversation, credential, format, isStream, reading }: OpenCall,
  answer: Uint8Array,
): void {
  if (conversation?.keepsAnswer !== true || bytes.length === 0) return;
  const made = format.kept?.toKeep(bytes, body, answer, isStream);
  if (made === undefined || (reading?.passesOn === true && made.isKeptUpstream)) return;
  const { id, input, answer: object } = made;
  answers.keep({ id, userId: credential.user.id, input, answer: object });
}
