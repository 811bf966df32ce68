/** Builds the log rows of charged and failed calls that the ledger inserts. */

import type { CallLog, ChargedCallLog } from "#canonical/call-log.ts";
import { inputOf, outputOf } from "#canonical/usage.ts";
import type { CallLogRow } from "#modules/logs/logs.ts";

export function settledRow(log: ChargedCallLog, charged: number, writeOff: number): CallLogRow {
  return {
    ...commonRow(log),
    type: 2,
    quota: charged,
    write_off: writeOff,
    prompt_tokens: inputOf(log.usage),
    completion_tokens: outputOf(log.usage),
    usage: JSON.stringify(log.usage),
    usage_source: log.usageSource,
    price_version: log.priceVersion,
  };
}

export function failedRow(log: CallLog): CallLogRow {
  return {
    ...commonRow(log),
    type: 5,
    quota: 0,
    write_off: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    usage: "",
    usage_source: "",
    price_version: 0,
  };
}

function commonRow(log: CallLog) {
  return {
    request_id: log.requestId,
    created_at: log.createdAt,
    user_id: log.userId,
    username: log.username,
    token_id: log.tokenId,
    token_name: log.tokenName,
    channel: log.channelId,
    model_name: log.modelName,
    group: log.group,
    use_time: log.useTimeSeconds,
    is_stream: Number(log.isStream),
    content: log.content,
    other: log.other,
    client_ip: log.clientIp,
    losses: log.losses.length === 0 ? "" : JSON.stringify(log.losses),
  };
}
