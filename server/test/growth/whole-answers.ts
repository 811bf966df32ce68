/** Every pair of formats between which whole answers are translated, as the relay reads them. */

import type { Json } from "#base/json.ts";
import { formats } from "#formats/registry.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { askApart, type ApartQuestion } from "#relay/ways/apart.ts";
import { openWay } from "#relay/ways/open-way.ts";
import type { BadAnswer, WholeAnswer } from "#relay/ways/way.ts";
import { testChannel } from "#relay/testing/relay.ts";
import type { TranslatedClientId } from "#test/recordings/played.ts";
import type { Conversation } from "./conversations.ts";
import { writers } from "./writers.ts";

/** A call that has been sent, and waits for its answer. */
type SentCall = {
  readonly provider: Provider;
  /** Reads an answer as the relaying thread reads a short one. */
  readHere(answer: Uint8Array): BadAnswer | WholeAnswer;
  /** Whether the answer is read on another thread when it is long. */
  isParsed(answer: Uint8Array): boolean;
  ask(answer: Uint8Array): ApartQuestion;
};

const mediaType = "application/json";

/** A name that upstreams take only when it is shortened, and that answers must have whole. */
const longName = `look_up.${"a".repeat(80)}`;

/** Sends a question in the format of a client, with a tool if the upstream takes any. */
export function send(
  client: TranslatedClientId,
  upstream: TranslatedFormatId,
  provider: Provider = { ...openai, formats: { [upstream]: { paths: { chat: "/" } } } },
): SentCall {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const turns = [{ kind: "user" as const, texts: ["hi"] }];
  const tools = [{ name: longName, schema }];
  const sent = write(client, provider, { turns, tools }) ?? write(client, provider, { turns });
  if (sent?.way.upstreamId !== upstream) throw new Error(`${client} is not sent to ${upstream}`);
  const { asked, call, reading, way } = sent;
  return {
    provider,
    readHere: (answer) => reading.readWhole(asked, answer, mediaType),
    isParsed: (answer) => reading.isParsed(asked, answer, mediaType),
    ask: (answer) => askApart({ ...call, ...asked }, way, reading, { answer, mediaType }),
  };
}

/** Undefined: the upstream does not take it. */
function write(client: TranslatedClientId, provider: Provider, conversation: Conversation) {
  const channel = testChannel({ baseUrl: "http://127.0.0.1:1", provider });
  const kind = { modality: "chat", model: "m" } as const;
  const way = openWay(channel, { ...kind, formatId: client, isStream: false });
  const bytes = Buffer.from(JSON.stringify(writers[client](conversation)));
  const format = formats[client].client;
  const body = format.readRequest(bytes, { ...kind, stream: false });
  if ("message" in body) throw new Error(body.message);
  const call = { conversation: null, isStream: false, model: "m", requestId: "r", startedAt: 0 };
  const written = way.write(call, { body, bytes }, (text) => text);
  const asked = { body, format };
  return "reading" in written ? { asked, call, way, reading: written.reading } : undefined;
}

/** All upstreams with whose answers a client's calls are answered by translation. */
export function upstreamsFor(client: TranslatedClientId): readonly TranslatedFormatId[] {
  // Safe cast: these are the keys of the table.
  return (Object.keys(translations) as TranslatedFormatId[]).filter((id) => id !== client);
}

export function bytesOf(answer: Json): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(answer));
}
