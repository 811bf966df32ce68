/**
 * Sends a request about a channel itself, such as for its balance, with the channel's key. It is
 * not a client's call and is not billed.
 */

import { parseForeign } from "#base/json.ts";
import { ask } from "#network/ask.ts";
import type { Transport } from "#network/transport.ts";
import { cleaners } from "#relay/cleaners.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { type FaultWords, sayBadAnswer, sayTransportFault } from "#relay/faults/fault-words.ts";

type ChannelQuestion = {
  readonly channel: ChannelView;
  readonly url: string;
  /** The longest answer that is read; a longer one is a failure. */
  readonly answerBytesMax: number;
};

type ChannelAnswer =
  | { readonly ok: true; readonly answer: unknown }
  | ({ readonly ok: false } & FaultWords);

/** Sends the request with the channel's first key and parses the answer as JSON. */
export async function askChannel(
  transport: Transport,
  { channel, url, answerBytesMax }: ChannelQuestion,
): Promise<ChannelAnswer> {
  const asked = await ask(transport, {
    method: "GET",
    url,
    proxy: channel.proxy,
    headers: {
      ...channel.provider.authHeaders(channel.keys[0] ?? "", channel),
      accept: "application/json",
    },
    body: null,
    limits: channel.limits,
    answerBytesMax,
  });
  if (!asked.ok) return { ok: false, ...sayTransportFault(asked.reason) };
  const { status, text } = asked;
  if (status !== 200) {
    const fault = channel.provider.readFault(status, text);
    return { ok: false, ...cleaners.sayBadStatus(status, fault, channel) };
  }
  try {
    return { ok: true, answer: parseForeign(text) };
  } catch {
    return { ok: false, ...sayBadAnswer(undefined, channel) };
  }
}
