import type { UpstreamFormat } from "#formats/format.ts";
import { readMediaUsage } from "./media-usage.ts";
import { readErrorBody } from "#formats/shared/read-error.ts";
import { openTreeScanner } from "#formats/shared/scan/tree-scanner.ts";

type Rules = {
  /** The key of the usage object. */
  readonly usage: string;
  /** Keys of which an answer has one. */
  readonly answering: readonly string[];
  /** Keys that are not looked into. */
  readonly skipped?: readonly string[];
};

/** Makes the upstream half of a format whose answers are one JSON object without text for people. */
export function plainUpstream({ usage, answering, skipped = [] }: Rules): UpstreamFormat {
  const rules = { texts: [], objects: [], closing: [], repeating: [] };
  return {
    accepts: { stream: "application/json", whole: "application/json" },
    openScanner: () => openTreeScanner({ ...rules, usage, answering, skipped }),
    readUsage: readMediaUsage,
    readErrorBody,
  };
}
