/** An upstream of another program's HTTP server, for calls whose bodies are not only JSON. */

import type { ChannelView } from "#ports/snapshot.ts";
import { openTestRelay, testChannel, testKey, type TestRelayOptions } from "./relay.ts";

type Seen = { readonly path: string; readonly request: Request; readonly body: Blob };

type PostInit = Omit<RequestInit, "headers"> & {
  readonly headers?: Readonly<Record<string, string>>;
};

type Answering = (seen: Seen) => Promise<Response> | Response;

/** Opens a relay whose only channel is a server that answers so. */
export function openMediaRelay(
  answer: Answering,
  channel: Partial<ChannelView> = {},
  options: Omit<TestRelayOptions, "channels"> = {},
) {
  const seen: Seen[] = [];
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    maxRequestBodySize: 256 * 1024 * 1024,
    async fetch(request) {
      const body = await request.clone().blob();
      const { pathname, search } = new URL(request.url);
      const one = { path: pathname + search, request, body };
      seen.push(one);
      return await answer(one);
    },
  });
  const relay = openTestRelay({
    channels: [testChannel({ baseUrl: `http://127.0.0.1:${upstream.port}`, ...channel })],
    ...options,
  });
  const post = async (path: string, body: FormData | object, init: PostInit = {}) =>
    await fetch(`${relay.url}${path}`, {
      method: "POST",
      body: body instanceof FormData ? body : JSON.stringify(body),
      ...init,
      headers: { authorization: `Bearer ${testKey}`, ...init.headers },
    });
  return {
    relay,
    seen,
    post,
    async stop() {
      await relay.stop();
      await upstream.stop(true);
    },
    /** What was charged, and the usage it was computed from. */
    charges: () => relay.money.settled.map(({ charge, log }) => [charge, log.usageSource]),
  };
}

/** A WAV file of silence: mono, 16 bits, 8,000 samples a second. */
export function silence(seconds: number): Buffer {
  const bytes = Buffer.alloc(44 + seconds * 16_000);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8_000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(seconds * 16_000, 40);
  return bytes;
}

/** A form with a file, whose model stands behind it as some clients write it. */
export function formOf(
  fields: Readonly<Record<string, string>>,
  files: readonly [string, Buffer][],
) {
  const form = new FormData();
  for (const [name, bytes] of files) form.append(name, new File([bytes], `${name} ä".bin`));
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}
