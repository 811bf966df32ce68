/**
 * Streams that end in the middle: a relay in front of each format of the demo upstream, and a client
 * of each format at each of them, all at the same time.
 */

import { startUpstreams } from "#test/upstreams/start.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import { eventually } from "#base/testing/waiting.ts";
import type { Usage } from "#canonical/usage.ts";
import type { Settlement } from "#ports/hold.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { openTestRelay, testChannel, testKey, type TestRelay } from "#relay/testing/relay.ts";
import { type TranslatedClientId, translatedClientIds } from "#test/recordings/played.ts";
import { type Upstream, upstreams } from "#test/sdks/upstreams.ts";

/** Each piece of an answer: one token, by the tests' tokenizer and by the estimate. */
const piece = "word ";

/** What the upstream reports of the prompt, and when. */
const prompt = { promptTokens: 5_000, cachedTokens: 4_000 } as const;

/** One upstream of the table, and what it has told of a call before its end. */
export type Row = {
  readonly name: string;
  readonly upstream: Upstream;
  /** What its scripts have besides. */
  readonly script: DemoScript;
  /** Returns what was reported when this many pieces have come; null: nothing. */
  readonly told: (pieces: number) => Partial<Usage> | null;
};

const nothing = () => null;

/** The upstreams of which something is known before the end; the others report at the end alone. */
const early: Readonly<Record<string, Row["told"]>> = {
  // Each event counts the output so far.
  DashScope: (pieces) => (pieces === 0 ? null : { input: 5_000, output: pieces }),
  "Invoke of Claude": () => ({ input: 1_000, cacheRead: 4_000, output: 1 }),
  messages: () => ({ input: 1_000, cacheRead: 4_000, output: 1 }),
};

const byName = (name: string): Upstream => {
  const found = upstreams.find((upstream) => upstream.name === name);
  if (found === undefined) throw new Error(`there is no upstream ${name}`);
  return found;
};

/** Upstreams of two formats may count while they answer. */
const counting: readonly Row[] = [
  {
    name: "chat, counting at once",
    upstream: byName("chat"),
    script: {
      usageFirst: {
        prompt_tokens: 5_000,
        completion_tokens: 1,
        total_tokens: 5_001,
        prompt_tokens_details: { cached_tokens: 4_000 },
      },
    },
    told: (pieces) => (pieces === 0 ? null : { input: 1_000, cacheRead: 4_000, output: 1 }),
  },
  {
    name: "generateContent, counting at once",
    upstream: byName("generateContent"),
    script: {
      usageFirst: {
        promptTokenCount: 5_000,
        cachedContentTokenCount: 4_000,
        thoughtsTokenCount: 300,
        totalTokenCount: 5_300,
      },
    },
    told: (pieces) => (pieces === 0 ? null : { input: 1_000, cacheRead: 4_000, reasoning: 300 }),
  },
];

export const rows: readonly Row[] = [
  ...upstreams
    .filter(({ streams }) => streams)
    .map((upstream) => ({
      name: upstream.name,
      upstream,
      script: {},
      told: early[upstream.name] ?? nothing,
    })),
  ...counting,
];

/** How clients of each format ask, and the tokens of the prompt by the tests' tokenizer. */
const clients: Readonly<
  Record<
    TranslatedClientId,
    { readonly path: string; readonly body: object; readonly promptTokens: number }
  >
> = {
  "anthropic-messages": {
    path: "/v1/messages",
    body: { messages: [{ role: "user", content: "hi" }], max_tokens: 2_000, stream: true },
    promptTokens: 4,
  },
  "gemini-generate": {
    path: "/v1beta/models/m:streamGenerateContent?alt=sse",
    body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
    promptTokens: 4,
  },
  "openai-chat": {
    path: "/v1/chat/completions",
    body: { messages: [{ role: "user", content: "hi" }], stream: true },
    promptTokens: 8,
  },
  "openai-responses": {
    path: "/v1/responses",
    body: { input: "hi", stream: true },
    promptTokens: 1,
  },
};

/** The stream of one client. */
export type Stream = {
  readonly row: Row;
  readonly clientId: TranslatedClientId;
  readonly relay: TestRelay;
  /** How many pieces have come. */
  readonly pieces: () => number;
  readonly hasEnded: () => boolean;
  readonly leave: () => void;
  /** What the call was charged; undefined: it was not yet. */
  readonly settled: () => Settlement | undefined;
};

/** What a call must be charged by, when this many pieces have come. */
export function dueUsage({ row, clientId }: Pick<Stream, "clientId" | "row">, pieces: number) {
  const told = row.told(pieces);
  if (told === null) return { ...noUsage, input: clients[clientId].promptTokens, output: pieces };
  return { ...noUsage, ...told, output: Math.max(told.output ?? 0, pieces) };
}

const demo = startUpstreams();
const opened: TestRelay[] = [];

export async function closeScene(): Promise<void> {
  await closeRelays();
  await demo.stop();
}

export async function closeRelays(): Promise<void> {
  await Promise.all(opened.splice(0).map(async (relay) => await relay.stop()));
}

const modelOf = (row: Row): string => `${row.upstream.prefix}m${rows.indexOf(row)}`;

const longMs = 100_000_000;

/** Opens a relay to each upstream, which answers by this script. */
export async function openRelays(
  script: DemoScript,
  { balance, limits }: { balance?: number; limits?: Partial<ChannelView["limits"]> } = {},
): Promise<ReadonlyMap<Row, TestRelay>> {
  const relays = new Map<Row, TestRelay>();
  for (const row of rows) {
    const { keyOf, other, provider } = row.upstream;
    const model = modelOf(row);
    const body = JSON.stringify({ piece, ...prompt, ...script, ...row.script });
    await fetch(`${demo.url}/__demo/scripts/${model}`, { method: "PUT", body });
    const channel = testChannel({
      baseUrl: demo.url,
      provider,
      other,
      models: new Set(["m"]),
      keys: [keyOf(model)],
      modelMapping: new Map([["m", model]]),
      limits: {
        connectMs: 5_000,
        firstByteMs: longMs,
        betweenChunksMs: longMs,
        totalMs: longMs,
        ...limits,
      },
    });
    const relay = openTestRelay({
      channels: [channel],
      options: { retryTimes: 0, automaticDisable: false },
      stillConnections: true,
      ...(balance === undefined ? {} : { balance }),
    });
    relays.set(row, relay);
    opened.push(relay);
  }
  return relays;
}

/** Lets the held answers of all upstreams go on. */
export async function release(): Promise<void> {
  for (const row of rows) {
    await fetch(`${demo.url}/__demo/release/${modelOf(row)}`, { method: "POST" });
  }
}

/** The pieces that the demo upstream has written, of all calls so far. */
export const written = (): number => demo.account().totals.completionTokens;

/** How many calls the demo upstream has had so far. */
export const begun = (): number => demo.account().totals.calls;

/** Opens a stream of each client at each of the relays. */
export async function openStreams(relays: ReadonlyMap<Row, TestRelay>): Promise<Stream[]> {
  const all = [...relays].flatMap(([row, relay]) =>
    translatedClientIds.map((clientId) => ({ row, relay, clientId })),
  );
  return await Promise.all(all.map(async (one) => await openStream(one)));
}

/** Asks for a stream. Resolves to its head; null: the client has left before. */
export async function ask(
  { clientId, relay }: Pick<Stream, "clientId" | "relay">,
  signal: AbortSignal,
): Promise<Response | null> {
  const { path, body } = clients[clientId];
  try {
    return await fetch(relay.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ ...body, model: "m" }),
      signal,
    });
  } catch {
    return null;
  }
}

/** Asks, and resolves when the answer has begun. */
export async function openStream(one: Pick<Stream, "clientId" | "relay" | "row">): Promise<Stream> {
  const { relay } = one;
  const leaving = new AbortController();
  const response = await ask(one, leaving.signal);
  const requestId = response?.headers.get("x-request-id") ?? "";
  let text = "";
  let ended = false;
  const read = async (): Promise<void> => {
    try {
      for await (const chunk of response?.body ?? []) text += Buffer.from(chunk).toString();
    } catch {
      // The client has left, or the gateway has cut the connection.
    }
    ended = true;
  };
  void read();
  return {
    ...one,
    pieces: () => countPieces(text),
    hasEnded: () => ended,
    leave: () => leaving.abort(),
    settled: () => relay.money.settled.find(({ log }) => log.requestId === requestId),
  };
}

/** Counts the pieces in the events of a stream; those at its end say all of it again. */
function countPieces(text: string): number {
  let count = 0;
  for (const line of text.split("\n")) {
    const isRepeated = /"type":"response\.(output_text\.done|content_part|output_item|[a-z]+")/;
    if (!isRepeated.test(line)) count += line.split(piece).length - 1;
  }
  return count;
}

export async function haveCome(streams: readonly Stream[], pieces: number): Promise<void> {
  await eventually(() => streams.every((stream) => stream.pieces() >= pieces));
}
