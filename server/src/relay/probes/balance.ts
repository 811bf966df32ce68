/** Reads the balance of a channel's account at its upstream. */

import { balanceUrls } from "#providers/upstream-url.ts";
import type { Transport } from "#network/transport.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { askChannel } from "./ask-channel.ts";

export type UpstreamBalance =
  | { readonly ok: true; readonly balance: number }
  /** `message` is shown to administrators and contains neither keys nor addresses. */
  | { readonly ok: false; readonly message: string };

/** The longest answer that is read. Every provider's answer with a balance is below 1 kB. */
const balanceBytesMax = 64 * 1024;

const unsupported = { ok: false, message: "该渠道类型不支持查询余额" } as const;

export async function readUpstreamBalance(
  transport: Transport,
  channel: ChannelView,
  nowMs: number,
): Promise<UpstreamBalance> {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const urls = balanceUrls(channel.provider, channel, today);
  if (urls === undefined) return unsupported;
  const answers: unknown[] = [];
  for (const url of urls) {
    const asked = await askChannel(transport, { channel, url, answerBytesMax: balanceBytesMax });
    if (!asked.ok) return asked;
    answers.push(asked.answer);
  }
  const balance = channel.provider.balance?.read(answers);
  return balance === undefined || !Number.isFinite(balance)
    ? { ok: false, message: "上游的应答中没有余额" }
    : { ok: true, balance };
}
