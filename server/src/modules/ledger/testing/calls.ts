/** Log records of calls, for tests. */

import { noUsage } from "@tollgate/contract/money/charge.ts";
import type { ChargedCallLog, FailedCallLog, LogPrice } from "#canonical/call-log.ts";

const testLogPrice: LogPrice = {
  fixed: "",
  model: "1",
  completion: "1",
  group: "1",
  cache: "1",
  cacheCreation: "1.25",
  cacheHour: "2",
  audio: "20",
  audioCompletion: "2",
};

/** Makes the log record of a charged call by user 1 with token 1; `parts` override fields. */
export function chargedLog(parts: Partial<ChargedCallLog> = {}): ChargedCallLog {
  return {
    requestId: "r",
    createdAt: 1_763_700_000,
    userId: 1,
    username: "alice",
    tokenId: 1,
    tokenName: "laptop",
    tried: [5],
    modelName: "gpt-4o",
    upstreamModel: "",
    group: "default",
    useTimeSeconds: 2,
    firstByteMs: 40,
    isStream: true,
    clientIp: "203.0.113.9",
    effort: "",
    losses: [],
    usage: { ...noUsage, input: 10 },
    usageSource: "upstream",
    seenOutput: 0,
    priceVersion: 1,
    price: testLogPrice,
    cost: null,
    costVersion: 0,
    reportedCost: "",
    interrupted: "",
    doubt: "",
    hiddenOutput: false,
    ...parts,
  };
}

/** The log record of a failed call by user 1 with token 1; `parts` override fields. */
export function failedLog(parts: Partial<FailedCallLog> = {}): FailedCallLog {
  const {
    usage: _usage,
    usageSource: _source,
    seenOutput: _seen,
    priceVersion: _version,
    price: _price,
    cost: _cost,
    costVersion: _costVersion,
    reportedCost: _reported,
    interrupted: _interrupted,
    doubt: _doubt,
    hiddenOutput: _hidden,
    ...log
  } = chargedLog();
  const error = { type: "upstream_error", code: "http-502", message: "bad gateway" };
  return { ...log, status: 502, error, fault: "", ...parts };
}
