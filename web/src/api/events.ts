/** Reads answers of the console API that go on: server-sent events, each checked by the contract. */

import { createParser } from "eventsource-parser";
import type { z } from "zod";
import { type AnyEndpoint, CallError, encodeCall, type InputOf, readAnswer, send } from "./call.ts";
import { expireSession, readSession } from "./session.ts";

/** The longest event that is read, in characters. */
const eventLengthMax = 4 * 1024 * 1024;

/**
 * Calls an endpoint that is `pushed`, and passes each of its events on. Resolves when the server has
 * ended the answer.
 *
 * @throws CallError when the call is refused, or the connection breaks (status 0).
 */
export async function callEvents<Of extends AnyEndpoint>(
  endpoint: Of,
  input: InputOf<Of>,
  onEvent: (data: z.output<Of["output"]>) => void,
  signal: AbortSignal,
): Promise<void> {
  const sentIn = readSession();
  const response = await send(encodeCall(endpoint, input).url, {
    headers: {
      accept: "text/event-stream",
      "new-api-user": String(sentIn?.id ?? -1),
      // The console's language, which may differ from the browser's.
      "accept-language": document.documentElement.lang || "*",
    },
    signal,
  });
  if (response.status === 401) expireSession(sentIn);
  const isEvents = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (!isEvents || response.body === null) {
    await readAnswer(endpoint, response);
    throw new CallError("", response);
  }
  // Safe cast: the contract derives the type from the schema that parses the value here.
  const take = (data: string): void =>
    onEvent(endpoint.output.parse(JSON.parse(data)) as z.output<Of["output"]>);
  await readEach(response.body.getReader(), take, signal);
}

async function readEach(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onData: (data: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: eventLengthMax,
    onEvent: ({ data }) => onData(data),
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    if (signal.aborted || error instanceof SyntaxError) throw error;
    throw new CallError("offline", null);
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
