/** Makes request ids, which appear in answers, logs and ledger. */

import { randomText } from "./secrets.ts";

const randomLength = 16;

/**
 * How many ids get their random text from one call of the random generator. A call costs nearly the
 * same for one id as for many.
 */
const idsAtOnce = 256;

let stampMs = Number.NaN;
let stamp = "";
let random = "";
let used = 0;

/**
 * Makes an id of the UTC time to the millisecond and random text. So ids sort by time, and none
 * occurs twice.
 */
export function newRequestId(nowMs: number): string {
  if (nowMs !== stampMs) {
    stampMs = nowMs;
    stamp = new Date(nowMs).toISOString().replaceAll(/\D/g, "");
  }
  if (used >= random.length) {
    random = randomText(randomLength * idsAtOnce);
    used = 0;
  }
  used += randomLength;
  return stamp + random.slice(used - randomLength, used);
}
