import type { AnswerScan } from "#formats/format.ts";

/** Makes the result of a scan that has found nothing. A scanner makes one and overwrites it. */
export function emptyScan(hasIssued = false): AnswerScan {
  return {
    texts: [],
    reasoningBytes: 0,
    choices: [],
    issued: hasIssued ? [] : null,
    usageStart: -1,
    usageEnd: -1,
    tier: "",
    searches: 0,
    byProgram: false,
    usageOnly: false,
    done: false,
    errorSuspected: false,
    answering: false,
    malformed: false,
  };
}

/** Notes that the texts from this index on are reasoning. */
export function markReasoning(scan: AnswerScan, from: number): void {
  const { texts } = scan;
  for (let at = from; at < texts.length; at += 2) {
    scan.reasoningBytes += (texts[at + 1] ?? 0) - (texts[at] ?? 0);
  }
}
