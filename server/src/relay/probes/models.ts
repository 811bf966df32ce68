/** Reads the list of models that a channel's upstream offers. */

import { formats } from "#formats/registry.ts";
import { modelsUrl } from "#providers/upstream-url.ts";
import type { Transport } from "#network/transport.ts";
import { answerBytesMax } from "#relay/meter/answer-meter.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { type FaultWords, sayBadAnswer } from "#relay/faults/fault-words.ts";
import { askChannel } from "./ask-channel.ts";

type UpstreamModels =
  | { readonly ok: true; readonly models: readonly string[] }
  | ({ readonly ok: false } & FaultWords);

/**
 * The largest number of models taken from one upstream, and the longest model name in characters.
 */
const modelsMax = 10_000;
const modelLengthMax = 255;

const unsupported = { ok: false, message: "该渠道类型不支持获取模型列表", field: null } as const;

export async function listUpstreamModels(
  transport: Transport,
  channel: ChannelView,
): Promise<UpstreamModels> {
  const url = modelsUrl(channel.provider, channel);
  if (url === undefined) return unsupported;
  const asked = await askChannel(transport, { channel, url, answerBytesMax });
  if (!asked.ok) return asked;
  const models = readModels(asked.answer);
  return models === undefined
    ? { ok: false, ...sayBadAnswer(readError(asked.answer), channel) }
    : { ok: true, models };
}

const readError = formats["openai-chat"].upstream.readErrorBody;

/**
 * Reads the model ids from `{data:[{id}]}`, from the bare array that some servers send, or from
 * `{models:[{name}]}`, in which Google writes `models/` before each name.
 */
function readModels(body: unknown): string[] | undefined {
  const { data, models } = Object(body);
  const list: unknown = Array.isArray(body) ? body : (data ?? models);
  if (!Array.isArray(list)) return undefined;
  return list.slice(0, modelsMax).flatMap((item: unknown) => {
    const { id, name } = Object(item);
    const found: unknown = id ?? name;
    if (typeof found !== "string" || found.length > modelLengthMax) return [];
    return [found.replace(/^models\//, "")];
  });
}
