/**
 * A server for tests of calls that the console's own pages make. The relay behind it is opened as
 * in `relay.ts`; its upstream answers every call alike.
 */

import { expect } from "bun:test";
import { type ByteBudget, openByteBudget } from "#base/memory/byte-budget.ts";
import type { ErrorTexts } from "#http/error-texts.ts";
import { type Logger, openLogger } from "#base/logger.ts";
import { openRateLimits, type RateLimits } from "#base/rate-limit.ts";
import type { CallMeta, ClientRequest } from "#http/client-request.ts";
import type { Seen } from "#http/proxies.ts";
import { openServer } from "#http/server.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import type { Relay } from "#relay/relay.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { openTestRelay } from "./relay.ts";

/** What every kind of page call needs. */
type Shared = {
  readonly relay: Relay;
  readonly channels: readonly ChannelView[];
  readonly limits: RateLimits;
  readonly budget: ByteBudget;
  readonly serverAddress: () => string;
  readonly errorText: ErrorTexts;
  readonly log: Logger;
};

type Answer = (request: ClientRequest, meta: CallMeta, seen: Seen) => Promise<void>;

type Sent = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Code and message of the error in the answer; undefined: there is none. */
  readonly error: { readonly code: string; readonly message: string } | undefined;
};

export type PageCalls = Pick<ReturnType<typeof openTestRelay>, "money"> & {
  /** What the upstream received. */
  readonly requests: readonly string[];
  send(path: string, body: unknown, headers?: Record<string, string>): Promise<Sent>;
  /** Changes the client's address. */
  comeFrom(address: string): void;
  stop(): Promise<void>;
};

/**
 * @param channels makes the channels, given the upstream's address
 * @param answered the upstream's answer
 * @param open makes what answers the calls
 */
export async function servePageCalls(
  channels: (upstream: string) => readonly ChannelView[],
  answered: string,
  open: (shared: Shared) => Answer,
): Promise<PageCalls> {
  const upstream = await startUpstream((socket) => void socket.write(answered));
  const served = channels(upstream.url);
  const opened = openTestRelay({ channels: served });
  const answer = open({
    relay: opened.relay,
    channels: served,
    limits: openRateLimits({ now: () => 0 }),
    budget: openByteBudget(64 * 1024 * 1024),
    serverAddress: () => "",
    errorText: (message) => message,
    log: openLogger("silent"),
  });
  let clientIp = "203.0.113.9";
  const seen = { secure: false, basePath: "" };
  const server = openServer({
    host: "127.0.0.1",
    port: 0,
    nowMs: () => performance.now(),
    onBug: (error) => expect(error).toBeNull(),
    answer: (request) => void answer(request, { clientIp, requestId: "r-1" }, seen),
  });
  return {
    money: opened.money,
    requests: upstream.requests,
    comeFrom: (address) => void (clientIp = address),
    async send(path, body, headers = {}) {
      const sent = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
      const text = await sent.text();
      // The answer is a stream, unless it is an error.
      const error = text.startsWith("{") ? JSON.parse(text).error : undefined;
      return { status: sent.status, headers: sent.headers, text, error };
    },
    async stop() {
      server.stop();
      await opened.stop();
      await upstream.stop();
    },
  };
}
