/**
 * Makes many small calls over few connections, as a proxy before the gateway does. Each has a marker
 * that its answer must repeat, so an answer on the wrong connection is noticed.
 */

import { connect } from "node:net";

type MarkedOptions = {
  readonly origin: string;
  /** The key, with the prefix `sk-`. */
  readonly key: string;
  /** A model of the demo upstream that repeats the call's marker in its answer. */
  readonly model: string;
  readonly calls: number;
  readonly connections: number;
};

type MarkedResult = {
  /** Number of answers that repeated the marker of their own call. */
  right: number;
  /** The first few wrong answers, as text for the failure message. */
  readonly wrong: string[];
};

/** The way in which one connection is used. */
type Manner = {
  /** Number of requests that are written together, before any answer is read. */
  readonly depth: number;
  readonly version: "1.0" | "1.1";
  /** True: the client closes its sending side after the requests, and reads on. */
  readonly halfClose: boolean;
};

/**
 * The ways in which connections are used: one request at a time, many at once, many before the
 * client closes its sending side, and HTTP/1.0.
 */
const manners: readonly Manner[] = [
  { depth: 1, version: "1.1", halfClose: false },
  { depth: 16, version: "1.1", halfClose: false },
  { depth: 8, version: "1.1", halfClose: true },
  { depth: 1, version: "1.0", halfClose: false },
];

/** Number of requests after which a connection is replaced. */
const perConnection = 64;

export async function sendMarked(options: MarkedOptions): Promise<MarkedResult> {
  const result: MarkedResult = { right: 0, wrong: [] };
  let next = 0;
  const run = async (first: number): Promise<void> => {
    for (let turn = first; next < options.calls; turn += 1) {
      const manner = manners[turn % manners.length] ?? manners[0];
      if (manner === undefined) throw new Error("no manner");
      const single = manner.version === "1.0" || manner.halfClose;
      const count = Math.min(single ? manner.depth : perConnection, options.calls - next);
      const markers = Array.from({ length: count }, (_, index) => `mark-${next + index}-end`);
      next += count;
      await useConnection(options, manner, markers, result);
    }
  };
  await Promise.all(Array.from({ length: options.connections }, (_, index) => run(index)));
  return result;
}

async function useConnection(
  options: MarkedOptions,
  manner: Manner,
  markers: readonly string[],
  result: MarkedResult,
): Promise<void> {
  const { hostname, port } = new URL(options.origin);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const ended = Promise.withResolvers<void>();
  let bytes = Buffer.alloc(0);
  let sent = 0;
  let answered = 0;
  const writeMore = (): void => {
    if (answered < sent) return;
    const batch = markers.slice(sent, sent + manner.depth);
    sent += batch.length;
    const text = batch.map((marker) => requestOf(options, manner, marker)).join("");
    if (manner.halfClose && sent === markers.length) socket.end(text);
    else socket.write(text);
  };
  const judge = (text: string): void => {
    const marker = markers[answered] ?? "";
    if (text.includes(marker) && (text.match(/mark-\d+-end/g) ?? []).every((m) => m === marker)) {
      result.right += 1;
    } else if (result.wrong.length < 5) {
      result.wrong.push(`${marker} got: ${text.slice(0, 500)}`);
    }
    answered += 1;
  };
  socket.on("connect", writeMore);
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let cut = cutAnswer(bytes); cut !== undefined; cut = cutAnswer(bytes)) {
      judge(cut.text);
      bytes = bytes.subarray(cut.length);
    }
    if (answered === markers.length) socket.destroy();
    else writeMore();
  });
  socket.on("error", () => socket.destroy());
  socket.on("end", () => socket.destroy());
  socket.on("close", () => ended.resolve());
  await ended.promise;
  if (answered === markers.length) return;
  if (result.wrong.length < 5) {
    result.wrong.push(`${markers[answered]} got no answer, ${bytes.toString("latin1")}`);
  }
}

/**
 * Two of three requests ask about an unknown model, to which the relay answers without the
 * upstream, and so faster than to the third. Answers therefore become ready in another order than
 * the requests came.
 */
function requestOf({ key, model }: MarkedOptions, { version }: Manner, marker: string): string {
  const head = (first: string, length: number): string =>
    `${first} HTTP/${version}\r\nhost: gateway\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\n${length > 0 ? `content-length: ${length}\r\n` : ""}\r\n`;
  if (Number(/\d+/.exec(marker)?.[0]) % 3 !== 0) return head(`GET /v1/models/${marker}`, 0);
  const body = JSON.stringify({
    model,
    user: `demo:${JSON.stringify({ piece: marker, events: 1 })}`,
    messages: [{ role: "user", content: "hi" }],
    max_tokens: 1,
  });
  return head("POST /v1/chat/completions", body.length) + body;
}

type Cut = { readonly text: string; readonly length: number };

/** Finds the first whole answer in the bytes. */
function cutAnswer(bytes: Buffer): Cut | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd).toLowerCase();
  const start = headEnd + 4;
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) {
    const end = start + Number(length);
    return bytes.length < end
      ? undefined
      : { text: bytes.toString("utf8", start, end), length: end };
  }
  const last = bytes.indexOf("0\r\n\r\n", start);
  if (last < 0) return undefined;
  return { text: bytes.toString("utf8", start, last), length: last + 5 };
}
