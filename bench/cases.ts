/** The loads that are put on each contender, one after the other. */

import type { DemoScript } from "@tollgate/demo/script.ts";

export type Case = {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  /** The JSON text of the request. */
  readonly body: string;
  readonly stream: boolean;
  /** Whether the upstream is called over TLS. */
  readonly tls?: true;
};

/**
 * The demo upstream's answers by model. `demo-fast` needs no entry, because it is built into the
 * demo upstream.
 */
export const scripts: Readonly<Record<string, DemoScript>> = {
  "bench-burst": { events: 50, eventDelayMs: 0 },
  "bench-open": { events: 200, eventDelayMs: 50 },
  "bench-paced": { events: 50, eventDelayMs: 2 },
  "bench-tls": {},
  "bench-tls-paced": { events: 50, eventDelayMs: 2 },
  "bench-translated": { events: 50, eventDelayMs: 2 },
};

/** Models of the channels whose upstream is called over TLS. */
export const tlsModelNames = ["bench-tls", "bench-tls-paced"];

/** Models of the channel whose upstream speaks Messages, so that the product translates. */
export const translatedModelNames = ["bench-translated"];

export const modelNames = ["demo-fast", ...Object.keys(scripts)].filter(
  (name) => !tlsModelNames.includes(name) && !translatedModelNames.includes(name),
);

/** A request with a question of one sentence: 263 bytes. The answer has about 600 bytes. */
export const smallBody = JSON.stringify({
  model: "demo-fast",
  max_tokens: 16,
  messages: [
    { role: "system", content: "You are a helpful assistant." },
    {
      role: "user",
      content: "Explain in one sentence why a gateway that bills must never lose a charge. ".repeat(
        2,
      ),
    },
  ],
});

/**
 * Makes the body of a streamed call.
 * @param model one of `scripts`.
 */
export function streamBody(model: string): string {
  return JSON.stringify({
    model,
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 256,
    messages: [{ role: "user", content: "Tell me a story of fifty words." }],
  });
}

const largeMessageCount = 40;
/** Bytes of one message; about 5 KB once quotes and line ends are escaped. */
const largeMessageBytes = 4_750;

/** Makes a request as an agent sends it in a long conversation: 200 KB in 40 messages. */
function largeBody(parameters: "first" | "last"): string {
  const sentence = 'The tool answered with line after line of "quoted" text.\n';
  const content = sentence
    .repeat(Math.ceil(largeMessageBytes / sentence.length))
    .slice(0, largeMessageBytes);
  const messages = Array.from({ length: largeMessageCount }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content,
  }));
  const wanted = { model: "demo-fast", stream: false, max_tokens: 16 };
  return JSON.stringify(parameters === "first" ? { ...wanted, messages } : { messages, ...wanted });
}

function small(connections: number): Case {
  const title = `small body, ${connections} at once`;
  return { name: `small-${connections}`, title, connections, body: smallBody, stream: false };
}

function large(parameters: "first" | "last"): Case {
  return {
    name: `large-${parameters}`,
    title: `200 KB body, parameters ${parameters}, 32 at once`,
    connections: 32,
    body: largeBody(parameters),
    stream: false,
  };
}

/** The calls of the warm-up, during which the runtime compiles the code that most calls need. */
export const warmUpCase: Case = small(64);

export const cases: readonly Case[] = [
  small(1),
  small(8),
  small(64),
  small(200),
  {
    name: "paced-64",
    title: "stream of 50 events 2 ms apart, 64 at once",
    connections: 64,
    body: streamBody("bench-paced"),
    stream: true,
  },
  {
    name: "burst-64",
    title: "stream of 50 events at once, 64 at once",
    connections: 64,
    body: streamBody("bench-burst"),
    stream: true,
  },
  {
    name: "translated-64",
    title: "stream of 50 events 2 ms apart, translated from Messages, 64 at once",
    connections: 64,
    body: streamBody("bench-translated"),
    stream: true,
  },
  large("first"),
  large("last"),
  {
    name: "tls-64",
    title: "small body, upstream over TLS, 64 at once",
    connections: 64,
    body: JSON.stringify({ ...JSON.parse(smallBody), model: "bench-tls" }),
    stream: false,
    tls: true,
  },
  {
    name: "tls-paced-64",
    title: "stream of 50 events 2 ms apart, upstream over TLS, 64 at once",
    connections: 64,
    body: streamBody("bench-tls-paced"),
    stream: true,
    tls: true,
  },
];

/** Parts of the benchmark that `--case` can run by themselves. */
export const partNames = [...cases.map(({ name }) => name), "memory", "stall", "logs"];

/** Returns the whole HTTP request of a call, as text. */
export function requestOf(body: string, key: string): string {
  return (
    "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n" +
    "user-agent: tollgate-bench\r\naccept: */*\r\ncontent-type: application/json\r\n" +
    `authorization: Bearer ${key}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/**
 * Returns a text that every whole answer to this load contains; the generator counts an answer
 * without it as failed.
 */
export function proofOf({ stream }: Pick<Case, "stream">): string {
  return stream ? "[DONE]" : '"usage":';
}
