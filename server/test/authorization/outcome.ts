/** The outcome of a call, as one letter in the table of routes and callers. */

import { type Answer, envelopeOf } from "./send.ts";
import type { Sample } from "./samples.ts";

/**
 * - `+` success: the caller saw or changed what the row is about
 * - `x` admitted, but nothing was shown or changed: not the caller's, or refused otherwise
 * - `L` 401: not signed in, or no valid key
 * - `R` the role is too low
 * - `T` the access token is unknown
 * - `F` 403
 * - `N` no route there, or not implemented
 * - `!` an outcome that no caller may get, such as a server error
 */
export type Outcome = "!" | "+" | "F" | "L" | "N" | "R" | "T" | "x";

const guardMessages: Readonly<Record<string, Outcome>> = {
  "无权进行此操作，权限不足": "R",
  "无权进行此操作，access token 无效": "T",
};

export function consoleOutcome(answer: Answer, sample: Sample): Outcome {
  if (answer.status === 401) return "L";
  if (answer.status === 403) return "F";
  if (answer.status === 404) return "N";
  if (answer.status >= 500) return "!";
  const { code, success = code, message = "", data } = envelopeOf(answer);
  const refusal = success === true ? undefined : guardMessages[message];
  if (sample.reached === true) return refusal ?? "+";
  if (success !== true) return refusal ?? "x";
  if (sample.mark !== undefined && !answer.text.includes(sample.mark)) return "x";
  const isNothing = sample.nothing !== undefined && Bun.deepEquals(data, sample.nothing);
  return isNothing ? "x" : "+";
}

export function relayOutcome({ status }: Answer): Outcome {
  if (status < 300) return "+";
  if (status === 401) return "L";
  if (status === 403) return "F";
  if (status === 404 || status === 501) return "N";
  return status < 500 ? "x" : "!";
}
