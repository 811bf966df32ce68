import type { Usage } from "./usage.ts";

/** What is known of a call when it ends, apart from money; becomes its log row. */
export type CallLog = {
  readonly requestId: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly userId: number;
  readonly username: string;
  /** 0: no token, e.g. the playground. */
  readonly tokenId: number;
  readonly tokenName: string;
  /** 0: no channel took part. */
  readonly channelId: number;
  /** The name the client used. */
  readonly modelName: string;
  readonly group: string;
  readonly useTimeSeconds: number;
  readonly isStream: boolean;
  readonly content: string;
  /** JSON text for consoles, see `contract/logs.ts`. */
  readonly other: string;
  readonly clientIp: string;
  /** What a conversion could not carry, by field name. */
  readonly losses: readonly string[];
};

/** Where the counts of a usage come from. */
export type UsageSource = "local" | "suspect" | "upstream";

/** A call that is charged. */
export type ChargedCallLog = CallLog & {
  readonly usage: Usage;
  readonly usageSource: UsageSource;
  readonly priceVersion: number;
};
