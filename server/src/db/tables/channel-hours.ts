/**
 * Attempts at a channel for a model in one hour. Written by `modules/channel-statistics` only, from
 * counts in memory, so that a process that dies loses those of its last second; no part of the
 * proof. What the columns count is explained in `canonical/attempts.ts`.
 */
export type ChannelHourTable = {
  /** The hour's first second, in Unix seconds. */
  hour: number;
  channel_id: number;
  model_name: string;
  attempts: number;
  answered: number;
  retries: number;
  failed_key: number;
  failed_limit: number;
  failed_server: number;
  failed_network: number;
  failed_answer: number;
  broken: number;
  rejected: number;
  cancelled: number;
} & {
  /** How many times to the first byte fell into each bucket. */
  [Column in `first_byte_${Bucket}`]: number;
};

/** The same by UTC day, written together with the hours, so that long times are read quickly. */
export type ChannelDayTable = Omit<ChannelHourTable, "hour"> & {
  /** The day's first second, in Unix seconds. */
  day: number;
};

type Bucket =
  | (0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9)
  | (10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19)
  | (20 | 21 | 22 | 23);
