import type { EndReason, Finish } from "#canonical/event.ts";

/**
 * Decides why an answer ended. An answer with tool calls ended for them whatever the upstream says,
 * because several name it a plain stop and agents then stop, too; only a limit or a refusal that
 * cut the answer counts more.
 */
export function finishOf(
  raw: string,
  reasons: Readonly<Record<string, EndReason>>,
  calledTool: boolean,
  stopSequence = "",
): Finish {
  const named = reasons[raw] ?? "other";
  const cut = named === "length" || named === "refused" || named === "context-full";
  if (calledTool && !cut) return { reason: "tool-call", raw, stopSequence };
  // Without a call the upstream's word for one means no more than a plain end.
  return { reason: named === "tool-call" ? "complete" : named, raw, stopSequence };
}
