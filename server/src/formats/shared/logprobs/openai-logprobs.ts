/** Probabilities of tokens in OpenAI's form, which other formats have taken over. */

import type { Json, JsonObject } from "#base/json.ts";
import type { TokenLogprob } from "#canonical/event.ts";
import { listOf, numberOf, objectOf, textOf } from "#formats/shared/read-json.ts";

export function readLogprobs(list: Json | undefined): readonly TokenLogprob[] {
  return listOf(list).map((each) => {
    const { top_logprobs: top } = objectOf(each);
    const alternatives = listOf(top).map((other) => readToken(objectOf(other)));
    return { ...readToken(objectOf(each)), top: alternatives };
  });
}

function readToken({ token, logprob, bytes }: JsonObject): Omit<TokenLogprob, "top"> {
  const list = Array.isArray(bytes) ? listOf(bytes).map((byte) => numberOf(byte) ?? 0) : null;
  return { token: textOf(token), logprob: numberOf(logprob) ?? 0, bytes: list };
}

export function writeLogprob({ token, logprob, bytes, top }: TokenLogprob): Json {
  const alternatives = top.map((each) => ({
    token: each.token,
    logprob: each.logprob,
    bytes: each.bytes,
  }));
  return { token, logprob, bytes, top_logprobs: alternatives };
}
