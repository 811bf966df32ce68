import type { CleanedHourTable } from "./cleaned-hours.ts";

/**
 * Sums of calls that failed or whose answer broke off, by hour and by their ending
 * (`contract/src/logs/endings.ts`). Written by `modules/logs` only, in the transaction that inserts
 * the rows of the calls; calls whose charge was given back are taken out again.
 */
export type EndingHourTable = Pick<
  CleanedHourTable,
  "channel_id" | "group" | "hour" | "model_name" | "token_id" | "user_id"
> & {
  ending: string;
  calls: number;
  /** When the first and the last of them ended, in Unix seconds. */
  first_at: number;
  last_at: number;
  /** The id of the newest row: an example. */
  last_id: number;
};
