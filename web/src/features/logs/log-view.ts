/**
 * A log row in the form that the screen uses: the same for admins and users, and with the JSON text
 * `other` parsed.
 */

import type { T } from "#i18n/t.ts";
import { logOther, type LogOther } from "@tollgate/contract/logs/log-other.ts";
import { blanksFor } from "@tollgate/contract/logs/fields.ts";
import type { Log, OwnLog } from "@tollgate/contract/endpoints/logs.ts";

export type LogView = OwnLog &
  Omit<Log, keyof OwnLog> & {
    /** The parsed `other`; `{}` for rows that are not about calls. */
    readonly details: LogOther;
    /** Whether the live tail added the row at its last read, so that it is marked as new. */
    readonly isNew: boolean;
  };

/** What users are not told, as it is where there is none of it. */
const hidden = { channel_name: "", tags: [], ...blanksFor("admin"), ...blanksFor("root") };

export function viewOf(row: OwnLog | Log): LogView {
  return { ...hidden, ...row, details: readOther(row.other), isNew: false };
}

/**
 * Parses `other`. The row may come from another gateway, so fields of a wrong type are dropped and
 * the others kept.
 */
function readOther(text: string): LogOther {
  const sent = readObject(text);
  const read = logOther.safeParse(sent);
  if (read.success) return read.data;
  const wrong = new Set(read.error.issues.map((issue) => String(issue.path[0])));
  const rest = Object.fromEntries(Object.entries(sent).filter(([name]) => !wrong.has(name)));
  return logOther.safeParse(rest).data ?? {};
}

function readObject(text: string): object {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/**
 * Returns the milliseconds until the first byte of a streamed answer; undefined: the answer was not
 * streamed.
 */
export function firstByteMs({ details, is_stream }: LogView): number | undefined {
  const { frt } = details;
  return is_stream && frt !== undefined && frt >= 0 ? frt : undefined;
}

/** Returns the colour for a call's duration, with the specification's limits in seconds. */
export function durationTone(seconds: number): "success" | "warning" | "danger" {
  if (seconds < 101) return "success";
  return seconds < 300 ? "warning" : "danger";
}

/** Returns the colour for the time to the first byte. */
export function firstByteTone(ms: number): "success" | "warning" | "danger" {
  if (ms < 3_000) return "success";
  return ms < 10_000 ? "warning" : "danger";
}

/**
 * Writes a duration as text. Durations are logged in whole seconds, so 0 is shown as `<1 s`; times
 * to the first byte are in milliseconds.
 */
export function showDuration(ms: number, t: T): string {
  if (ms === 0) return t("logs.belowSecond");
  if (ms < 1_000) return t("logs.milliseconds", { ms });
  const seconds = ms / 1_000;
  const digits = Number.isInteger(seconds) || seconds >= 100 ? 0 : 1;
  return t("logs.seconds", { seconds: seconds.toFixed(digits) });
}
