/** Sends requests to upstreams that want each of them signed, or a token in place of the key. */

import { ask } from "#network/ask.ts";
import type { TransportAnswer, TransportFault } from "#network/answer.ts";
import { parseTarget, type Target, urlOf } from "#network/target.ts";
import type { Transport, TransportCall } from "#network/transport.ts";
import type { FetchedToken, Signer, SigningFault, TokenSource } from "#providers/signing.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { type AttemptFault, judgeTransportFault, judgeUnsigned } from "#relay/faults/fault.ts";
import type { Way } from "./way.ts";

type SigningDeps = {
  readonly transport: Transport;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** A request whose credentials are still missing. */
type Unsigned = TransportCall & { readonly body: Uint8Array };

/** Where a request goes, and its headers, once it is signed. */
type Addressed = Pick<Unsigned, "headers" | "target"> & { readonly body?: Uint8Array };

type FailedSigning = { readonly kind: "failed"; readonly fault: AttemptFault };

/** Signs the request and sends it. */
export async function sendSigned(
  deps: SigningDeps,
  way: Way,
  by: { readonly key: string; readonly sign: Signer },
  request: Unsigned,
): Promise<FailedSigning | TransportAnswer | TransportFault> {
  const signed = await signRequest(deps, way, by, request);
  return "kind" in signed ? signed : await deps.transport({ ...request, ...signed });
}

/** Signs a request. */
export async function signRequest(
  deps: SigningDeps,
  { channel, model, upstreamId, asksStream }: Way,
  { key, sign }: { readonly key: string; readonly sign: Signer },
  request: Pick<Unsigned, "body" | "headers" | "isLastMessage" | "target">,
): Promise<Addressed | FailedSigning> {
  const unsigned = {
    key,
    channel,
    model,
    format: upstreamId,
    isStream: asksStream,
    url: urlOf(request.target),
    headers: request.headers,
    body: request.body,
    nowMs: deps.now(),
  };
  const signed = await sign(unsigned, tokensOf(deps, channel));
  if (signed.kind === "unsigned") {
    return { kind: "failed", fault: judgeUnsigned(signed, channel) };
  }
  // Of a WebSocket neither the address, which is signed for one call, nor the connection is kept.
  const find = request.isLastMessage === undefined ? targetOf : newTarget;
  const target = signed.url === unsigned.url ? request.target : find(channel, signed.url);
  if (target === null) {
    const fault = { kind: "fault", code: "address-unresolved", status: 502 } as const;
    return { kind: "failed", fault: judgeTransportFault(fault) };
  }
  const headers = {
    ...request.headers,
    host: target.host + target.port,
    ...signed.headers,
  };
  return { body: signed.body ?? request.body, target, headers };
}

/** What signing keeps for a channel. A changed channel is a new view, for which it is made anew. */
type Kept = {
  readonly tokens: Map<string, Promise<FetchedToken | SigningFault>>;
  /** Kept, because connections are kept by the object of the address. */
  readonly targets: Map<string, Target | null>;
};

const kept = new WeakMap<ChannelView, Kept>();

/** How many tokens and addresses are kept for a channel; when there are more, all are dropped. */
const keptMax = 1_000;

function keptOf(channel: ChannelView): Kept {
  const known = kept.get(channel);
  if (known !== undefined) return known;
  const fresh = { tokens: new Map(), targets: new Map() };
  kept.set(channel, fresh);
  return fresh;
}

function targetOf(channel: ChannelView, url: string): Target | null {
  const { targets } = keptOf(channel);
  const known = targets.get(url);
  if (known !== undefined) return known;
  const target = newTarget(channel, url);
  if (targets.size >= keptMax) targets.clear();
  targets.set(url, target);
  return target;
}

function newTarget({ proxy }: ChannelView, url: string): Target | null {
  return parseTarget(url, proxy);
}

/** Forgets the channel's tokens, because the upstream has refused one before its time. */
export function forgetTokens(channel: ChannelView): void {
  kept.get(channel)?.tokens.clear();
}

/** How long before its end a token is no longer used. */
const renewalMs = 60_000;

/** The longest answer of a server that gives tokens. */
const tokenAnswerBytesMax = 64 * 1024;

function tokensOf({ transport, now }: SigningDeps, channel: ChannelView): TokenSource {
  const { tokens } = keptOf(channel);
  return {
    async get(name, request) {
      for (;;) {
        const pending = tokens.get(name);
        const known = await pending;
        // Another call may have requested the token in the meantime.
        if (tokens.get(name) !== pending && known?.kind !== "unsigned") continue;
        if (known?.kind === "unsigned") return known;
        if (known !== undefined && known.expiresMs - renewalMs > now()) return known;
        if (tokens.size >= keptMax) tokens.clear();
        const requested = request();
        tokens.set(name, requested);
        const token = await requested;
        // A fault is not kept: the next call tries again.
        if (token.kind === "unsigned") tokens.delete(name);
        return token;
      }
    },
    async postForm(url, fields) {
      return await ask(transport, {
        method: "POST",
        url,
        proxy: channel.proxy,
        headers: {
          accept: "application/json",
          "content-type": "application/x-www-form-urlencoded",
        },
        body: new URLSearchParams(fields).toString(),
        limits: channel.limits,
        answerBytesMax: tokenAnswerBytesMax,
      });
    },
  };
}
