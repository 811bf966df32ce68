/** Reads from a row of the log how its call has ended, for its column `ending`. */

import { failedEnding, type Finish, interruptedCode } from "@tollgate/contract/logs/endings.ts";
import type { CallLogRow } from "#modules/logs/log-fields.ts";

const charged = 2;
const failed = 5;

/**
 * What the texts of rows end with when an answer broke off, from the most special to the least; also
 * texts that only earlier versions wrote.
 */
const notes: readonly (readonly [note: RegExp, finish: Finish])[] = [
  [/上游中断$/, "broken"],
  [/客户端断开$/, "left"],
  [/(?:额度不足|预算不足|额度上限|消费上限)，输出中止$/, "cut"],
  [/输出中止$/, "stopped"],
  // Around the name of the person who has stopped a call.
  [/，已由 [^]* 停止/, "stopped"],
];

type Row = Pick<CallLogRow, "content" | "other" | "type">;

/** Returns the ending of a row; `""`: the answer is whole, or the row is about no call. */
export function endingOf({ type, content, other }: Row): string {
  if (type === failed) return failedEnding(failureOf(other));
  if (type !== charged) return "";
  return notes.find(([note]) => note.test(content))?.[1] ?? "";
}

function failureOf(other: string): { readonly status: number; readonly code: string } {
  if (other === "") return { status: 0, code: interruptedCode };
  const { status_code: status, error_code: code, error_type: kind } = parseObject(other);
  return {
    status: typeof status === "number" ? status : 0,
    code: typeof code === "string" && code !== "" ? code : typeof kind === "string" ? kind : "",
  };
}

type Facts = { readonly error_code?: unknown; readonly error_type?: unknown };

function parseObject(text: string): Facts & { readonly status_code?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
