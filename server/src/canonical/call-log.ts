import type { Usage } from "./usage.ts";

/** Everything about an ended call except its cost; it becomes the call's log row. */
export type CallLog = {
  readonly requestId: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly userId: number;
  readonly username: string;
  /** 0: no token, as in the playground. */
  readonly tokenId: number;
  readonly tokenName: string;
  /** 0: no channel was tried. */
  readonly channelId: number;
  /** The model name that the client used. */
  readonly modelName: string;
  readonly group: string;
  readonly useTimeSeconds: number;
  readonly isStream: boolean;
  readonly content: string;
  /** JSON text for consoles; see `contract/logs.ts`. */
  readonly other: string;
  readonly clientIp: string;
  /** Names of fields that a translation had to drop. */
  readonly losses: readonly string[];
};

/**
 * Where the billed token counts come from. `local`: the gateway's own count. `suspect`: the same,
 * because the upstream's counts are not plausible.
 */
export type UsageSource = "local" | "suspect" | "upstream";

/** The log of a call that is charged. */
export type ChargedCallLog = CallLog & {
  readonly usage: Usage;
  readonly usageSource: UsageSource;
  readonly priceVersion: number;
};
