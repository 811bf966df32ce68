/**
 * Playground calls: chat calls authenticated by a console session instead of a key. They pass the
 * console's guards. Then they are handled like any call, with a token that has no limits and counts
 * nothing, so only the user's balance is held and charged.
 */

import { type ConsoleOptions, limitCaller } from "#http/edge.ts";
import { admit } from "#http/guard.ts";
import type { CallMeta, ClientRequest } from "#http/client-request.ts";
import type { Seen } from "#http/proxies.ts";
import { toRequest } from "#http/web-standard.ts";
import { readPath } from "#http/target.ts";
import { playgroundIngress } from "#relay/ingress.ts";
import { findTerms } from "#relay/admission/admit.ts";
import { answerAnyone } from "#relay/answers/small.ts";
import type { Credential } from "#relay/call/facts.ts";
import { CallRefusal } from "#relay/call/call-refusal.ts";
import { userRefused } from "#relay/admission/authenticate.ts";
import { answerPageCall, keepToOwnPages, pageFormat as format, requireJson } from "./own-pages.ts";
import { readPlaygroundBody } from "./playground-body.ts";
import { readBody } from "#relay/admission/read-body.ts";
import { groupNotOpen, noPlaygroundChannel, sessionRequired } from "#relay/call/refusals.ts";
import type { KnownCall, Relay } from "#relay/relay.ts";
import type { Snapshot } from "#ports/snapshot.ts";

type PlaygroundDeps = Omit<ConsoleOptions, "handlers" | "requireStepUp"> & {
  readonly relay: Pick<Relay, "answerKnown">;
  readonly snapshot: Snapshot;
};

/** Answers every request below `/pg/`. Never rejects. */
export type Playground = (request: ClientRequest, meta: CallMeta, seen: Seen) => Promise<void>;

/**
 * The largest number of bytes of a playground call's body, which is a conversation with its images.
 */
export const playgroundBytesMax = 8 * 1024 * 1024;

const unknown = { kind: "unknown", format: playgroundIngress.format } as const;

const chatPath = /^\/+pg\/chat\/completions\/*$/;

export function openPlayground(deps: PlaygroundDeps): Playground {
  return async (request, meta, seen) => {
    keepToOwnPages(request, seen.secure);
    await answer(deps, { ...meta, seen }, request);
  };
}

type PlaygroundMeta = CallMeta & { readonly seen: Seen };

async function answer(
  deps: PlaygroundDeps,
  meta: PlaygroundMeta,
  request: ClientRequest,
): Promise<void> {
  const { method } = request;
  const { requestId } = meta;
  const path = readPath(request.url);
  if (method !== "POST" || !chatPath.test(path)) {
    request.respond(answerAnyone(unknown, { format, method, path, requestId }));
    return;
  }
  await answerPageCall(deps, request, meta, () => readCall(deps, request, meta));
}

/**
 * Authenticates a playground call by its console session and reads its body.
 *
 * @throws Refusal or CallRefusal.
 */
async function readCall(
  deps: PlaygroundDeps,
  request: ClientRequest,
  { clientIp, seen }: PlaygroundMeta,
): Promise<KnownCall> {
  const { snapshot } = deps;
  const standard = toRequest(request, seen);
  const identity = await deps.authenticate(standard);
  await limitCaller(deps, identity, clientIp);
  const caller = admit({ access: "user" }, identity, standard, deps.serverAddress());
  if (caller.sessionId === null) throw sessionRequired();
  requireJson(request);
  const bytesMax = Math.min(playgroundBytesMax, snapshot.options.bodyBytesMax);
  const { group, model, bytes } = readPlaygroundBody(
    await readBody(request, bytesMax, deps.budget, caller.userId),
    format.fields,
  );
  const credential = credentialFor(snapshot, caller.userId, group);
  if (model !== "") checkTerms(snapshot, credential, model);
  return { credential, bytes };
}

/**
 * Makes the credential of a playground call. In place of a token it has a stand-in without limits,
 * on which no usage is counted.
 */
function credentialFor(snapshot: Snapshot, userId: number, chosen: string): Credential {
  const user = snapshot.findUser(userId);
  if (user === undefined || user.status !== 1) throw userRefused(user);
  const group = chosen === "" ? user.group : chosen;
  const isOpen = group === user.group || Object.hasOwn(snapshot.options.usableGroups, group);
  if (!isOpen || !Object.hasOwn(snapshot.prices.list.GroupRatio, group)) throw groupNotOpen();
  return {
    token: {
      id: 0,
      userId,
      name: `playground-${group}`,
      lookup: "",
      keyEndsAt: 0,
      masked: "",
      status: 1,
      expiredTime: -1,
      unlimitedQuota: true,
      modelLimits: null,
      allowsIp: null,
      deniesIp: null,
      drawing: null,
      rateLimit: null,
      budgets: null,
      group,
      tags: [],
    },
    user,
    pinnedChannelId: null,
  };
}

const missing: ReadonlySet<string> = new Set(["model_not_available", "model_not_found"]);

/**
 * Checks group and model. The relay does so again later, but here a group without a channel for the
 * model gets the playground's own error code.
 */
function checkTerms(snapshot: Snapshot, credential: Credential, model: string): void {
  try {
    findTerms(snapshot, credential, model);
  } catch (error) {
    const isMissing = error instanceof CallRefusal && missing.has(error.code);
    throw isMissing ? noPlaygroundChannel(error.message) : error;
  }
}
