/** The log records of simulated calls. */

import { noUsage } from "@tollgate/contract/money/charge.ts";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { OpenCall, World } from "./world.ts";

/** The task that one call in ten begins. The books must judge such a call, on both databases. */
export function taskOf({ random }: World, id: string): Pick<ChargedCallLog, "task"> {
  if (!random.chance(0.1)) return {};
  const use = { seconds: 1, count: 1, mode: "", size: "" };
  return { task: { id, upstreamId: id, action: "a", use, dueAt: 0 } };
}

export function logOf(id: string, call: OpenCall, interrupted = ""): ChargedCallLog {
  return { ...template, requestId: id, userId: call.userId, tokenId: call.token.id, interrupted };
}

export const template: ChargedCallLog = {
  requestId: "",
  createdAt: 0,
  userId: 0,
  username: "u",
  tokenId: 0,
  tokenName: "t",
  tried: [1],
  modelName: "m",
  upstreamModel: "",
  group: "default",
  useTimeSeconds: 0,
  firstByteMs: null,
  isStream: false,
  clientIp: "",
  effort: "",
  losses: [],
  usage: noUsage,
  usageSource: "upstream",
  seenOutput: 0,
  priceVersion: 1,
  cost: null,
  costVersion: 0,
  reportedCost: "",
  price: {
    fixed: "",
    model: "1",
    completion: "1",
    group: "1",
    cache: "1",
    cacheCreation: "1.25",
    cacheHour: "2",
    audio: "20",
    audioCompletion: "2",
  },
  interrupted: "",
  doubt: "",
  hiddenOutput: false,
};
