/** A question about a channel itself, asked of its upstream with the channel's key. No call. */

import { ask } from "#network/ask.ts";
import type { Transport } from "#network/transport.ts";
import type { ChannelView } from "#relay/snapshot.ts";

export type ChannelQuestion = {
  readonly channel: ChannelView;
  readonly url: string;
  /** A longer answer is a failure. */
  readonly answerBytesMax: number;
};

export type ChannelAnswer =
  | { readonly ok: true; readonly answer: unknown }
  /** `message` is for administrators; without keys and addresses. */
  | { readonly ok: false; readonly message: string };

/** Asks with the channel's first key and reads the JSON of the answer. */
export async function askChannel(
  transport: Transport,
  { channel, url, answerBytesMax }: ChannelQuestion,
): Promise<ChannelAnswer> {
  const asked = await ask(transport, {
    method: "GET",
    url,
    headers: {
      ...channel.provider.authHeaders(channel.keys[0] ?? "", channel),
      accept: "application/json",
    },
    body: null,
    limits: channel.limits,
    answerBytesMax,
  });
  if (!asked.ok) return { ok: false, message: asked.reason };
  if (asked.status !== 200) return { ok: false, message: `http-${asked.status}` };
  try {
    return { ok: true, answer: JSON.parse(asked.text) };
  } catch {
    return { ok: false, message: "answer-malformed" };
  }
}
