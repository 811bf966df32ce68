/** Asking a channel's upstream what is left of the money paid in. */

import { balanceUrls } from "#providers/upstream-url.ts";
import { newCancellation } from "#network/cancellation.ts";
import type { ChannelView } from "#relay/snapshot.ts";
import { parseTarget } from "#network/target.ts";
import { baseHeaders } from "#relay/stages/translate.ts";
import type { Transport } from "#network/transport.ts";

export type UpstreamBalance =
  | { readonly ok: true; readonly balance: number }
  /** `message` is for administrators; without keys and addresses. */
  | { readonly ok: false; readonly message: string };

/** Longest answer that is read; a balance is below 1 kB everywhere. */
const balanceBytesMax = 64 * 1024;

const untold = { ok: false, message: "该渠道类型不支持查询余额" } as const;

export async function readUpstreamBalance(
  transport: Transport,
  channel: ChannelView,
  nowMs: number,
): Promise<UpstreamBalance> {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const urls = balanceUrls(channel.provider, channel, today);
  if (urls === undefined) return untold;
  const answers: unknown[] = [];
  for (const url of urls) {
    const asked = await ask(transport, channel, url);
    if (!asked.ok) return asked;
    answers.push(asked.answer);
  }
  const balance = channel.provider.balance?.read(answers);
  return balance === undefined || !Number.isFinite(balance)
    ? { ok: false, message: "answer-malformed" }
    : { ok: true, balance };
}

type Asked = { readonly ok: true; readonly answer: unknown } | { ok: false; message: string };

async function ask(transport: Transport, channel: ChannelView, url: string): Promise<Asked> {
  const target = parseTarget(url);
  if (target === null) return untold;
  const answer = await transport({
    method: "GET",
    target,
    headers: baseHeaders(channel, channel.keys[0] ?? "", target),
    body: null,
    isStream: false,
    limits: channel.limits,
    cancellation: newCancellation(),
  });
  if (answer.kind === "fault") return { ok: false, message: answer.code };
  const read = await answer.readAll(balanceBytesMax);
  if (!(read instanceof Uint8Array)) return { ok: false, message: read.code };
  if (answer.status !== 200) return { ok: false, message: `http-${answer.status}` };
  try {
    return { ok: true, answer: JSON.parse(new TextDecoder().decode(read)) };
  } catch {
    return { ok: false, message: "answer-malformed" };
  }
}
