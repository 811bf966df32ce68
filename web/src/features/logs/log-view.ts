/** A row of the log as the screen shows it: the same for admins and users, `other` parsed once. */

import { type Log, logOther, type LogOther, type OwnLog } from "@tollgate/contract/logs.ts";

export type LogView = OwnLog &
  Pick<Log, "channel_name" | "write_off"> & {
    /** The parsed `other`; `{}` for rows that are not calls. */
    readonly details: LogOther;
    /** One of the latest rows that the live tail has added. */
    readonly isNew: boolean;
  };

export function viewOf(row: OwnLog | Log): LogView {
  return { channel_name: "", write_off: 0, ...row, details: readOther(row.other), isNew: false };
}

/** Other gateways may have written the row: a field of a wrong type is dropped, the rest stays. */
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

/** Milliseconds to the first byte of a streamed answer; undefined: it was not streamed. */
export function firstByteMs({ details, is_stream }: LogView): number | undefined {
  const { frt } = details;
  return is_stream && frt !== undefined && frt >= 0 ? frt : undefined;
}

/** The colour of a call's duration; the specification's limits, in seconds. */
export function durationTone(seconds: number): "success" | "warning" | "danger" {
  if (seconds < 101) return "success";
  return seconds < 300 ? "warning" : "danger";
}

/** The colour of the time to the first byte. */
export function firstByteTone(ms: number): "success" | "warning" | "danger" {
  if (ms < 3_000) return "success";
  return ms < 10_000 ? "warning" : "danger";
}
