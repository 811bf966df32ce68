/**
 * Converts requests and responses to the platform's `Request` and `Response`, which console and
 * pages use. For the relay, with its many calls, that would cost too much.
 */

import type { CallMeta, ClientRequest, ResponseSink } from "./client-request.ts";
import { markSeen, type Seen } from "./proxies.ts";

/**
 * The host used in a request's URL if the client sent none. The name is reserved and belongs to no
 * one.
 */
const noHost = "gateway.invalid";

/**
 * Makes the platform's request.
 *
 * @param seen how the browser sees the gateway.
 */
export function toRequest(request: ClientRequest, seen: Seen): Request {
  const { host, length, method, url } = request;
  const isBodiless = method === "GET" || method === "HEAD" || length === 0;
  const scheme = seen.secure ? "https" : "http";
  const whole = `${scheme}://${host}${url}`;
  const made = new Request(URL.canParse(whole) ? whole : `${scheme}://${noHost}/`, {
    method,
    headers: request.fields(),
    body: isBodiless ? null : bodyOf(request),
  });
  markSeen(made, seen);
  // Sets the URL as the client sent it. The platform would resolve `..` in it, and the path could
  // be read in two ways.
  Object.defineProperty(made, "url", { value: `${scheme}://${host === "" ? noHost : host}${url}` });
  return made;
}

function bodyOf(request: ClientRequest): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const part = await request.takeBody();
        if (part === "whole") controller.close();
        else if (typeof part !== "string") controller.enqueue(part);
        else {
          if (part === "too-slow") request.respond({ status: 408, headers: {}, body: null });
          controller.error(new Error(`the body is ${part}`));
        }
      },
    },
    { highWaterMark: 0 },
  );
}

/** Sends the platform's response. Its body is read whole first, unless it consists of events. */
export async function respondWith(request: ClientRequest, response: Response): Promise<void> {
  const head = { status: response.status, headers: headersOf(response.headers) };
  if (response.body !== null && isOfEvents(response)) {
    await pass(request.stream(head), request, response.body);
    return;
  }
  request.respond({ ...head, body: response.body === null ? null : await response.bytes() });
}

function isOfEvents({ headers }: Response): boolean {
  return headers.get("content-type") === eventsType;
}

/** Sends a body as it comes, as fast as the client reads, until either side ends it. */
async function pass(
  sink: ResponseSink | null,
  request: ClientRequest,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  if (sink === null) return await body.cancel();
  const reader = body.getReader();
  let isGone = false;
  let goOn: (() => void) | null = null;
  request.onDisconnect(() => {
    isGone = true;
    goOn?.();
    void reader.cancel();
  });
  sink.onDrained(() => goOn?.());
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || isGone) break;
      sink.write(value);
      if (!sink.isFull()) continue;
      await new Promise<void>((resolve) => (goOn = resolve));
    }
    sink.end();
  } catch (error) {
    sink.abort();
    throw error;
  }
}

function headersOf(headers: Headers): Record<string, string | readonly string[]> {
  const plain: Record<string, string | readonly string[]> = {};
  for (const [name, value] of headers) plain[name] = value;
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) plain["set-cookie"] = cookies;
  return plain;
}

/** The media type by which such an answer is known. */
const eventsType = "text/event-stream;charset=utf-8";

const encoder = new TextEncoder();

/**
 * Makes an answer of the console API that goes on: it sends each value as an event once the reader has taken the
 * one before it.
 */
export function eventResponse(
  events: AsyncIterable<unknown>,
  headers: Record<string, string>,
  { requestId }: CallMeta,
): Response {
  const iterator = events[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(`data: ${JSON.stringify(value)}\n\n`));
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    status: 200,
    headers: {
      ...headers,
      "content-type": eventsType,
      "x-request-id": requestId,
      // nginx would otherwise gather events before it passes them on.
      "x-accel-buffering": "no",
    },
  });
}
