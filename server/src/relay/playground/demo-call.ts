/**
 * A visitor's call on the home page of the demo: a chat call without session or key. Visitors choose
 * the question and nothing else. From there on it is a call like any other, authenticated by the key
 * of the demo account, whose balance is held and charged.
 */

import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";
import {
  demoCallPath,
  demoModel,
  demoOutputMax,
  demoQuestion,
  demoQuestionMax,
} from "@tollgate/contract/endpoints/demo-calls.ts";
import { parseForeign } from "#base/json.ts";
import type { RateRule } from "#base/rate-limit.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { Logger } from "#base/logger.ts";
import { admit } from "#http/guard.ts";
import type { ErrorTexts } from "#http/error-texts.ts";
import type { CallMeta, ClientRequest } from "#http/client-request.ts";
import type { Seen } from "#http/proxies.ts";
import { readPath } from "#http/target.ts";
import { toRequest } from "#http/web-standard.ts";
import { demoLimited, demoNotReady, questionInvalid } from "#relay/call/refusals.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { answerPageCall, keepToOwnPages, requireJson } from "./own-pages.ts";
import type { KnownCall, Relay } from "#relay/relay.ts";
import { judgeKey, plainKey } from "#relay/admission/authenticate.ts";
import { readBody } from "#relay/admission/read-body.ts";

type DemoCallDeps = Pick<
  RelayDeps,
  | "adoptKey"
  | "budget"
  | "hashedLookupOf"
  | "limits"
  | "lookupOf"
  | "markToken"
  | "now"
  | "snapshot"
> & {
  readonly relay: Pick<Relay, "answerKnown">;
  /** The key of the demo account, with `sk-`; null: the demo is not ready. */
  readonly key: () => string | null;
  /** The server's public address; empty: unknown. */
  readonly serverAddress: () => string;
  readonly errorText: ErrorTexts;
  readonly log: Logger;
};

export type DemoCall = {
  /** Whether this is such a call, by its method and path. */
  readonly takes: (request: Pick<ClientRequest, "method" | "url">) => boolean;
  /**
   * Answers the call. Never rejects.
   *
   * @param seen how the browser sees the gateway.
   */
  readonly answer: (request: ClientRequest, meta: CallMeta, seen: Seen) => Promise<void>;
};

/** The most calls that visitors of one address block may make in a minute. */
const perAddress: RateRule = { name: "demo-call", windowMs: 60_000, max: 10 };

/** The most calls that all visitors together may make in a minute. */
const inAll: RateRule = { name: "demo-call-all", windowMs: 60_000, max: 60 };

/** The longest body of a call, in bytes: the longest question with every character escaped. */
const bodyBytesMax = 4_096;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function openDemoCall(deps: DemoCallDeps): DemoCall {
  return {
    takes: ({ method, url }) => method === "POST" && trimEndOf(readPath(url), "/") === demoCallPath,
    async answer(request, meta, seen) {
      keepToOwnPages(request, seen.secure);
      const demoMeta = { ...meta, seen };
      await answerPageCall(deps, request, meta, () => readCall(deps, request, demoMeta));
    },
  };
}

type DemoMeta = CallMeta & { readonly seen: Seen };

/** @throws Refusal or CallRefusal. */
async function readCall(
  deps: DemoCallDeps,
  request: ClientRequest,
  { clientIp, seen }: DemoMeta,
): Promise<KnownCall> {
  admit({ access: "public" }, { kind: "nobody" }, toRequest(request, seen), deps.serverAddress());
  requireJson(request);
  const key = deps.key();
  if (key === null) throw demoNotReady();
  const address = addressBlock(clientIp);
  await take(deps, perAddress, address);
  const content = readQuestion(await readBody(request, bodyBytesMax, deps.budget, address));
  await take(deps, inAll, "");
  const credential = await judgeKey(deps, plainKey(key), clientIp);
  return { credential, bytes: encoder.encode(JSON.stringify(bodyOf(content))) };
}

/** @throws CallRefusal `rate_limited`. */
async function take({ limits }: DemoCallDeps, rule: RateRule, key: string): Promise<void> {
  const { allowed, retryAfterMs } = await limits.take(rule, key);
  if (!allowed) throw demoLimited(Math.ceil(retryAfterMs / 1_000));
}

function readQuestion(bytes: Uint8Array): string {
  let sent: unknown;
  try {
    sent = parseForeign(decoder.decode(bytes));
  } catch {
    throw questionInvalid(demoQuestionMax);
  }
  const parsed = demoQuestion.safeParse(sent);
  if (!parsed.success) throw questionInvalid(demoQuestionMax);
  return parsed.data.content;
}

function bodyOf(content: string): object {
  return {
    model: demoModel,
    stream: true,
    max_tokens: demoOutputMax,
    messages: [{ role: "user", content }],
  };
}
