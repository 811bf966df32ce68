/** The way of calls with one small question, such as one for embeddings, to another format. */

import { objectOf, parseJson } from "#formats/shared/read-json.ts";
import type { Conversion, Converted } from "#formats/conversion.ts";
import { findConversion } from "#formats/conversion-registry.ts";
import type { BodyRefusal, UpstreamFormat } from "#formats/format.ts";
import { formats } from "#formats/registry.ts";
import { crowdedFault } from "#formats/shared/scan/crowded.ts";
import { meterAnswer } from "#relay/meter/answer-meter.ts";
import { readAsItIs } from "./read-as-it-is.ts";
import { applyOverride } from "./request.ts";
import { isPassedOn, type PreparedWay, prepareWay } from "./prepare.ts";
import {
  type BadAnswer,
  badAnswer,
  type Reading,
  type Received,
  reasonOf,
  type Way,
  type WayKind,
  type WholeAnswer,
  type Written,
  type WrittenCall,
} from "./way.ts";

/** For the estimate of the prompt that answers contain. */
const bytesPerToken = 4;

export const convertedWay: WayKind = (facts) => {
  const { formatId, modality, upstreamId } = facts;
  const conversion = findConversion(modality, formatId, upstreamId);
  if (conversion === undefined || upstreamId === formatId) return undefined;
  const isClients = isPassedOn(upstreamId);
  // All formats report errors in forms that each of them reads.
  const format: UpstreamFormat = formats[isClients ? upstreamId : formatId].upstream;
  const requests = formats[isClients ? upstreamId : formatId].client;
  const prepared = prepareWay(facts, {
    format,
    accepts: format.accepts,
    asksStream: facts.isStream,
  });
  return {
    ...prepared,
    requests,
    isLastMessage: undefined,
    reading: readAsItIs(prepared),
    write: (call, received) =>
      writeConverted({ ...prepared, conversion, requests }, call, received),
    writeQuestion: () => null,
    withoutUsage: () => undefined,
  };
};

/** A way whose requests are converted. */
type Converting = PreparedWay & Pick<Way, "requests"> & { readonly conversion: Conversion };

/** Writes the request in the upstream's format; a refusal says why that is impossible. */
function writeConverted(
  way: Converting,
  { model }: WrittenCall,
  received: Received,
): BodyRefusal | Written {
  const { bytes } = received;
  const crowded = crowdedFault(bytes);
  if (crowded !== "") return { code: "invalid_request", param: "", message: crowded };
  const body = objectOf(parseJson(new TextDecoder().decode(bytes)));
  const made = way.conversion.convert(body, way.model);
  if ("message" in made) return made;
  const written = new TextEncoder().encode(JSON.stringify(made.body));
  const promptTokens = Math.ceil(received.body.textBytes / bytesPerToken);
  const reading: Reading = {
    ...readAsItIs(way),
    losses: made.losses,
    sendsFileAlone: made.sendsFileAlone,
    passesOn: false,
    sign: "type",
    received,
    isParsed: () => true,
    readWhole: (_, answer) => readConverted(way, made, { body, model, promptTokens }, answer),
  };
  return { bytes: applyOverride(way.channel, written, way.requests), reading };
}

/** Writes the answer in the client's format. */
function readConverted(
  way: PreparedWay,
  { answer }: Converted,
  request: Parameters<Converted["answer"]>[1],
  bytes: Uint8Array,
): BadAnswer | WholeAnswer {
  const metered = meterAnswer(bytes, way);
  if (metered.fault !== undefined) return badAnswer(reasonOf(metered.fault), metered.fault);
  const given = parseJson(new TextDecoder().decode(bytes));
  const made = given === undefined ? undefined : answer(given, request);
  if (made === undefined) return badAnswer("answer-malformed");
  const isText = typeof made === "string";
  const encoded = new TextEncoder().encode(isText ? made : JSON.stringify(made));
  const mediaType = isText ? "text/plain; charset=utf-8" : "application/json";
  return { kind: "whole", channel: way.channel, metered, bytes: encoded, mediaType };
}
