/** Every pair of formats between which requests are translated, as the relay translates them. */

import type { CanonicalRequest } from "#canonical/request.ts";
import { formats } from "#formats/registry.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";
import { objectOf, parseBody } from "#formats/shared/read-json.ts";
import { wrongArguments } from "#formats/shared/scan/crowded.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openWay } from "#relay/ways/open-way.ts";
import { testChannel } from "#relay/testing/relay.ts";
import { type TranslatedClientId, translatedClientIds } from "#test/recordings/played.ts";
import { conversations, type Conversation } from "./conversations.ts";
import type { Family, Subject } from "./measure.ts";
import { writers } from "./writers.ts";

/** An older model, whose upstream takes a dialect of schemas of its own. */
const model = "gemini-1.5-pro";

/**
 * Every pair. A run that is not long judges about a fourth of all families of a pair, so that each
 * format of upstreams is asked by every family, and each format of clients sends every family.
 */
export const translators: readonly Subject[] = translatedClientIds.flatMap((client) =>
  Object.keys(translations)
    .filter((upstream) => upstream !== client)
    // Safe cast: these are the keys of the table.
    .map((upstream) => subjectOf(client, upstream as TranslatedFormatId)),
);

function subjectOf(client: TranslatedClientId, upstream: TranslatedFormatId): Subject {
  const families = Object.entries(conversations).map(([name, make], index): Family => ({
    name,
    isLong: askedBy(upstream, index) !== client,
    make: (bytes) => workOn(client, upstream, make(bytes)),
  }));
  return { name: `${client} to ${upstream}`, families };
}

/** Which format of clients asks an upstream in every run, of the family with this index. */
function askedBy(upstream: TranslatedFormatId, index: number): TranslatedClientId | undefined {
  const clients = translatedClientIds.filter((client) => client !== upstream);
  return clients[(Object.keys(translations).indexOf(upstream) + index) % clients.length];
}

/** Returns the work of one call that is translated, from the body's bytes to those for the upstream. */
export function workOn(
  client: TranslatedClientId,
  upstream: TranslatedFormatId,
  conversation: Conversation,
): () => number {
  const provider: Provider = { ...openai, formats: { [upstream]: { paths: { chat: "/" } } } };
  const channel = testChannel({ baseUrl: "http://127.0.0.1:1", provider });
  const asked = { formatId: client, modality: "chat", isStream: false, model } as const;
  const way = openWay(channel, asked);
  if (way.upstreamId !== upstream) throw new Error(`${client} is not translated to ${upstream}`);
  const bytes = Buffer.from(JSON.stringify(writers[client](conversation)));
  return () => {
    const body = formats[client].client.readRequest(bytes, {
      modality: "chat",
      model,
      stream: false,
    });
    if ("message" in body) return 0;
    const call = {
      conversation: null,
      isStream: false,
      model,
      requestId: "r",
      startedAt: 0,
    };
    const written = way.write(call, { body, bytes }, (text) => text.slice(0, 64));
    return "bytes" in written ? written.bytes.length : 0;
  };
}

/** Each half alone, so that larger inputs do not take long: what clients send … */
export const parsers: readonly Subject[] = translatedClientIds.map((client) => ({
  name: client,
  families: Object.entries(conversations).map(([name, make]) => ({
    name,
    make: (bytes) => {
      const written = Buffer.from(JSON.stringify(writers[client](make(bytes))));
      return () => void parse(client, written);
    },
  })),
}));

/** … and what upstreams are sent, of conversations in each format of clients by turns. */
export const writersOfRequests: readonly Subject[] = Object.entries(translations).map(
  ([name, { upstream }], index) => ({
    name,
    families: Object.entries(conversations).map(([family, make], at) => ({
      name: family,
      make: (bytes) => {
        const client = translatedClientIds[(index + at) % translatedClientIds.length];
        if (client === undefined) throw new Error("no format of clients");
        const parsed = parse(client, Buffer.from(JSON.stringify(writers[client](make(bytes)))));
        return () => {
          if (parsed === undefined) return 0;
          const written = upstream.writeRequest(parsed, {});
          return "message" in written ? 0 : JSON.stringify(written.body).length;
        };
      },
    })),
  }),
);

function parse(client: TranslatedClientId, bytes: Uint8Array): CanonicalRequest | undefined {
  const path = { modality: "chat", model, stream: false } as const;
  // What the relay refuses unread is no input of the other stages.
  if ("message" in formats[client].client.readRequest(bytes, path)) return undefined;
  const half = translations[client].client;
  const parsed = half.parseRequest(objectOf(parseBody(bytes)), path);
  if ("message" in parsed || wrongArguments(parsed.request.items) !== "") return undefined;
  return { ...parsed.request, model };
}
