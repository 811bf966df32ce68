/** Probabilities of tokens in Google's form: the chosen ones and, apart, those that were likely. */

import type { Json, JsonObject } from "#base/json.ts";
import type { TokenLogprob } from "#canonical/event.ts";
import { listOf, numberOf, objectOf, textOf } from "#formats/shared/read-json.ts";

export function readGeminiLogprobs(result: JsonObject): readonly TokenLogprob[] {
  const tops = listOf(result["topCandidates"]);
  return listOf(result["chosenCandidates"]).map((chosen, index) => ({
    ...readToken(chosen),
    top: listOf(objectOf(tops[index])["candidates"]).map(readToken),
  }));
}

function readToken(each: Json): Omit<TokenLogprob, "top"> {
  const { token, logProbability } = objectOf(each);
  return { token: textOf(token), logprob: numberOf(logProbability) ?? 0, bytes: null };
}

/** Returns the fields of a candidate; none without probabilities. */
export function writeGeminiLogprobs(tokens: readonly TokenLogprob[]): JsonObject {
  if (tokens.length === 0) return {};
  const sum = tokens.reduce((total, { logprob }) => total + logprob, 0);
  const chosenCandidates = tokens.map(writeToken);
  const topCandidates = tokens.map(({ top }) => ({ candidates: top.map(writeToken) }));
  return { avgLogprobs: sum / tokens.length, logprobsResult: { chosenCandidates, topCandidates } };
}

function writeToken({ token, logprob }: Omit<TokenLogprob, "top">): JsonObject {
  return { token, logProbability: logprob };
}
