/** Log records of calls, for tests. */

import { noUsage } from "@tollgate/contract/charge.ts";
import type { ChargedCallLog } from "#canonical/call-log.ts";

/** Makes the log record of a charged call by user 1 with token 1; `parts` override fields. */
export function chargedLog(parts: Partial<ChargedCallLog> = {}): ChargedCallLog {
  return {
    requestId: "r",
    createdAt: 1_763_700_000,
    userId: 1,
    username: "alice",
    tokenId: 1,
    tokenName: "laptop",
    channelId: 5,
    modelName: "gpt-4o",
    group: "default",
    useTimeSeconds: 2,
    isStream: true,
    content: "",
    other: "{}",
    clientIp: "203.0.113.9",
    losses: [],
    usage: { ...noUsage, input: 10 },
    usageSource: "upstream",
    priceVersion: 1,
    ...parts,
  };
}
