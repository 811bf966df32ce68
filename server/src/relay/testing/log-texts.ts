import type { ChargedCallLog, FailedCallLog } from "#canonical/call-log.ts";
import { chargedTexts, failedTexts } from "#canonical/call-texts.ts";

/** The texts of the log row that the writer makes from the record of a call. */
export function textsOf(log: ChargedCallLog | FailedCallLog | undefined) {
  if (log === undefined) throw new Error("the relay has recorded no call");
  const { content, other } = "error" in log ? failedTexts(log) : chargedTexts(log);
  return { content, other: JSON.parse(other) };
}
