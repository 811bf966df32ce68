import type { AnswerScan } from "#formats/format.ts";

/** Makes the result of a scan that has found nothing. A scanner makes one and overwrites it. */
export function emptyScan(hasIssued = false): AnswerScan {
  return {
    texts: [],
    choices: [],
    issued: hasIssued ? [] : null,
    usageStart: -1,
    usageEnd: -1,
    tier: "",
    byProgram: false,
    usageOnly: false,
    done: false,
    errorSuspected: false,
    answering: false,
    malformed: false,
  };
}
