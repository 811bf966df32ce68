/** The texts of calls: what clients asked and what they were answered. Off unless root wants it. */

import type { OpenTranscript } from "./open-transcript.ts";
import type { Transcript } from "./transcripts.store.ts";

export type Transcripts = {
  /** Begins to gather the texts of a call. Only called while `LogContentEnabled` is on. */
  open(): OpenTranscript;
  /** Reads the texts of a call by its id and the time of its log row; null: none are stored. */
  read(requestId: string, createdAt: number): Promise<Transcript | null>;
  /** For how many days texts are kept, by the present options. */
  days(): number;
  /** How many calls' texts this node did not store, because it could not keep up. */
  dropped(): number;
  /** Removes the texts of calls that ended before a time. Unix seconds. */
  removeBefore(before: number): Promise<number>;
  /** Removes all texts. @returns how many there were. */
  removeAll(): Promise<number>;
  /** Removes the texts of users, who were removed themselves. */
  forgetUsers(ids: readonly number[]): Promise<void>;
  /** Resolves when every text that waits is stored. */
  drained(): Promise<void>;
};

/**
 * The number of days for which texts are kept: never longer than the log rows.
 *
 * @param logDays days for which log rows are kept; 0: for ever.
 */
export function daysKept(textDays: number, logDays: number): number {
  return logDays === 0 ? textDays : Math.min(textDays, logDays);
}
