/** Converts a call with one small question, such as one for embeddings, and its answer. */

import type { JsonObject } from "#base/json.ts";
import type { Converted } from "#formats/conversion.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { objectOf, parseJson } from "#formats/shared/read-json.ts";
import { crowdedFault } from "#formats/shared/scan/crowded.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import { applyOverride, type Way } from "./translate.ts";

/** A converted call, and what the conversion of its answer needs. */
export type ConvertedCall = Pick<Converted, "answer" | "losses" | "sendsFileAlone"> & {
  readonly body: JsonObject;
};

/** For the estimate of the prompt that answers contain. */
const bytesPerToken = 4;

/** Writes the request in the upstream's format; a refusal says why that is impossible. */
export function convertRequest(
  way: Way,
  call: Pick<OpenCall, "bytes" | "converted">,
): BodyRefusal | Uint8Array {
  const crowded = crowdedFault(call.bytes);
  if (crowded !== "") return { code: "invalid_request", param: "", message: crowded };
  const body = objectOf(parseJson(new TextDecoder().decode(call.bytes)));
  const made = way.conversion?.convert(body, way.model);
  if (made === undefined) return call.bytes;
  if ("message" in made) return made;
  const { answer, losses, sendsFileAlone } = made;
  call.converted = { answer, losses, sendsFileAlone, body };
  const bytes = new TextEncoder().encode(JSON.stringify(made.body));
  return applyOverride(way, bytes);
}

/** Writes the answer in the client's format. Undefined: the upstream's is not one of its format. */
export function convertAnswer(
  { answer, body }: ConvertedCall,
  { model, body: read }: Pick<OpenCall, "body" | "model">,
  bytes: Uint8Array,
): { readonly bytes: Uint8Array; readonly mediaType: string } | undefined {
  const given = parseJson(new TextDecoder().decode(bytes));
  const promptTokens = Math.ceil(read.textBytes / bytesPerToken);
  const made = given === undefined ? undefined : answer(given, { body, model, promptTokens });
  if (made === undefined) return undefined;
  const isText = typeof made === "string";
  const encoded = new TextEncoder().encode(isText ? made : JSON.stringify(made));
  return { bytes: encoded, mediaType: isText ? "text/plain; charset=utf-8" : "application/json" };
}
