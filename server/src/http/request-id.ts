/** Request ids, which appear in answers, logs and ledger. */

import { randomText } from "#base/secrets.ts";

const randomLength = 16;

/** Ids per call of the random generator, whose cost is mostly per call. */
const idsAtOnce = 256;

let stampMs = Number.NaN;
let stamp = "";
let random = "";
let used = 0;

/** UTC time to the millisecond, then random text: sorts by time and never repeats. */
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
