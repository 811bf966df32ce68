import type { ChannelHourTable } from "./channel-hours.ts";
import type { UsageHourTable } from "./ledger.ts";

/**
 * What the removed log rows of an hour said beside the sums of `usage_hours`, so that a cleaning
 * changes no figure. Written by `modules/logs` only, in the transaction that removes the rows.
 */
export type CleanedHourTable = Omit<
  UsageHourTable,
  | "completion_tokens"
  | "cost"
  | "costed_count"
  | "costed_quota"
  | "prompt_tokens"
  | "quota"
  | "request_count"
> & {
  /** Charged calls, also those whose charge was given back. */
  calls: number;
  /** Calls that failed or were interrupted. */
  failures: number;
  /** Those of them that their clients could not avoid. */
  faults: number;
} & Pick<ChannelHourTable, FirstByteColumn>;

/** How many charged calls had their first byte within the bucket, as in `channel_hours`. */
type FirstByteColumn = Extract<keyof ChannelHourTable, `first_byte_${number}`>;
