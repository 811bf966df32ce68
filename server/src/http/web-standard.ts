/**
 * Converts requests and responses to the platform's `Request` and `Response`, which console and
 * pages use. For the relay, with its many calls, that would cost too much.
 */

import type { ClientRequest } from "./client-request.ts";
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

/** Sends the platform's response. Its body is read whole first. */
export async function respondWith(request: ClientRequest, response: Response): Promise<void> {
  const head = { status: response.status, headers: headersOf(response.headers) };
  request.respond({ ...head, body: response.body === null ? null : await response.bytes() });
}

function headersOf(headers: Headers): Record<string, string | readonly string[]> {
  const plain: Record<string, string | readonly string[]> = {};
  for (const [name, value] of headers) plain[name] = value;
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) plain["set-cookie"] = cookies;
  return plain;
}
