/**
 * Requests about asynchronous tasks: authenticated, limited and admitted as calls are, then
 * answered by the tasks' desk, which knows platforms and stored tasks.
 */

import type { Memory } from "#base/memory/byte-budget.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { FormFile } from "#formats/format.ts";
import type { CallMeta, ClientRequest, ClientResponse } from "#http/client-request.ts";
import type { DeskCall, FoundRoute, TaskCaller, TaskTerms } from "#ports/task-desk.ts";
import { CallRefusal, inWordsOf, jsonHeaders, ownErrorType } from "./call/call-refusal.ts";
import {
  brokenByUs,
  idNotGiven,
  noCallPrice,
  noChannel,
  sensitiveWords,
  storeUnavailable,
  tooBusy,
} from "./call/refusals.ts";
import { countEnd } from "./call/life.ts";
import type { RelayState } from "./call/relay-state.ts";
import { sessionTags } from "./call/tags.ts";
import { enter, leave } from "./admission/calls-at-once.ts";
import { limitCaller } from "./admission/limits.ts";
import { namedInTask } from "./routing/named-in-task.ts";
import { makeLogPrice } from "./plan.ts";
import { findPrice, findTerms, askHold } from "./admission/admit.ts";
import { authenticate } from "./admission/authenticate.ts";
import type { Credential } from "./call/facts.ts";
import { typeOf } from "./admission/multipart.ts";
import { readBody } from "./admission/read-body.ts";
import { endUpload, isForm, readUpload } from "./admission/read-upload.ts";
import { failureLog, noLosses } from "./settle/record.ts";
import { openTaskTrip } from "./routing/task-trip.ts";
import { upstreamCost } from "./settle/upstream-cost.ts";

/** The longest body that needs no key, in bytes: what an upstream tells of a task. */
const openBodyMax = 512 * 1024;

/** Answers a request about tasks; null: the desk has sent the answer. Never rejects. */
export async function answerTask(
  state: RelayState,
  request: ClientRequest,
  meta: CallMeta,
  found: FoundRoute,
): Promise<ClientResponse | null> {
  const { deps } = state;
  const { requestId } = meta;
  const startedMs = deps.ticker.nowMs();
  let entered: Credential | null = null;
  let status = 500;
  try {
    const hasWaited = request.hasWaited();
    if (deps.shedsLoad(hasWaited)) throw tooBusy({ rests: !hasWaited });
    const credential = found.route.open === true ? null : await findCaller(state, request, meta);
    if (credential !== null) {
      await enter(state.atOnce, credential, deps.snapshot.options.callsAtOnce);
      entered = credential;
    }
    const call = await readCall(state, { request, meta, found }, credential);
    const response = await deps.tasks.answer(call);
    status = response?.status ?? 200;
    return response === null ? null : { ...response, requestId };
  } catch (error) {
    const refusal = error instanceof CallRefusal ? error : brokenByUs();
    if (refusal !== error) {
      deps.log.error({ err: error, requestId }, "a request about a task failed");
    }
    status = refusal.status;
    return refused(state, refusal, { request, meta, found });
  } finally {
    if (entered !== null) leave(state.atOnce, entered);
    countEnd(state, { isStream: false, startedMs, firstByteMs: null }, { status, counted: null });
  }
}

/** Midjourney's clients may send the key in a header of their own. */
async function findCaller(
  { deps }: RelayState,
  request: ClientRequest,
  { clientIp }: CallMeta,
): Promise<Credential> {
  const { headers, url } = request;
  const own = headers.get("mj-api-secret");
  const bearer = own === null ? request : { headers, url, alsoKeys: [own] };
  return await authenticate(deps, bearer, clientIp, false);
}

type RoutedRequest = {
  readonly request: ClientRequest;
  readonly meta: CallMeta;
  readonly found: FoundRoute;
};

function refused(
  { deps }: RelayState,
  refusal: CallRefusal,
  { request, meta, found }: RoutedRequest,
): ClientResponse {
  const { requestId } = meta;
  const said = { type: ownErrorType, code: refusal.code, message: refusal.message };
  const { message } = inWordsOf({ requestId, headers: request.headers }, deps.errorText, said);
  const { status, body } = deps.tasks.refuse(found, {
    status: refusal.status,
    code: refusal.code,
    message,
  });
  const seconds = refusal.retryAfterSeconds;
  const headers = seconds === null ? {} : { headers: { "retry-after": String(seconds) } };
  const response = { status, shared: jsonHeaders, requestId, body, ...headers };
  return refusal.rests ? { ...response, rests: true } : response;
}

const noBytes = new Uint8Array();

async function readCall(
  state: RelayState,
  { request, meta, found }: RoutedRequest,
  credential: Credential | null,
): Promise<DeskCall> {
  const { deps } = state;
  const { options } = deps.snapshot;
  if (credential !== null) await limitCaller(deps, credential);
  const most =
    credential === null ? Math.min(openBodyMax, options.bodyBytesMax) : options.bodyBytesMax;
  const { requestId, clientIp } = meta;
  const owner = credential?.user.id ?? addressBlock(clientIp);
  const memory = { budget: deps.budget, owner };
  const isPost = request.method === "POST";
  const bytes = isPost ? await readTask(memory, request, found, most) : noBytes;
  const caller = credential === null ? null : callerOf(state, credential, request, meta);
  const language = request.headers.get("accept-language");
  const say = (message: string): string => deps.errorText(message, language);
  return { found, request, requestId, clientIp, bytes, caller, say };
}

async function readTask(
  memory: Memory,
  request: ClientRequest,
  { route }: FoundRoute,
  bytesMax: number,
): Promise<Uint8Array> {
  if (route.takesForm !== true || !isForm(request)) {
    return await readBody(request, bytesMax, memory.budget, memory.owner);
  }
  const { bytes, upload } = await readUpload(memory, request, bytesMax);
  try {
    return withFiles(bytes, upload.files);
  } finally {
    endUpload(upload);
  }
}

/** Adds the files of a form to the JSON object of its fields, as data URLs. */
function withFiles(bytes: Uint8Array, files: readonly FormFile[]): Uint8Array {
  if (files.length === 0) return bytes;
  const named = files.map((file) => {
    const data = Buffer.from(file.bytes).toString("base64");
    return [file.name, `data:${typeOf(file.mediaType)};base64,${data}`];
  });
  const fields: unknown = JSON.parse(new TextDecoder().decode(bytes));
  return new TextEncoder().encode(
    JSON.stringify({ ...Object(fields), ...Object.fromEntries(named) }),
  );
}

function callerOf(
  state: RelayState,
  credential: Credential,
  { headers }: ClientRequest,
  meta: CallMeta,
): TaskCaller {
  const { deps } = state;
  const { token, user } = credential;
  const startedAt = deps.now();
  const tags = sessionTags(credential, headers);
  return {
    userId: user.id,
    username: user.username,
    tokenId: token.id,
    tokenName: token.name,
    tags,
    tokenLimited: !token.unlimitedQuota,
    drawing: token.drawing,
    checkText(text) {
      if (deps.snapshot.options.findWord?.(text) === true) throw sensitiveWords();
    },
    terms: (models, channelId) => termsOf(state, credential, meta, { models, channelId, tags }),
    namesIn: namedInTask,
    notGiven: idNotGiven,
    noChannel: ({ group, model }) => noChannel(group, model),
    unavailable: storeUnavailable,
    failed(terms, tried, { status, code, message }) {
      const { group, model } = terms;
      const log = failureLog(
        {
          requestId: meta.requestId,
          clientIp: meta.clientIp,
          credential,
          model,
          group,
          tags,
          isStream: false,
          reading: null,
          leftOut: noLosses,
          tried: tried.flatMap(({ id }) => deps.snapshot.findChannel(id) ?? []),
          startedAt,
          firstByteMs: null,
        },
        { status, error: { type: ownErrorType, code, message }, fault: "", nowMs: deps.now() },
      );
      deps.recordFailure(log);
    },
  };
}

type Wanted = {
  readonly models: readonly string[];
  readonly channelId: number | null;
  readonly tags: readonly string[];
};

/** @throws CallRefusal */
function termsOf(
  state: RelayState,
  credential: Credential,
  meta: CallMeta,
  { models, channelId, tags }: Wanted,
): TaskTerms {
  const { deps } = state;
  const { snapshot } = deps;
  const pinned = { ...credential, pinnedChannelId: channelId ?? credential.pinnedChannelId };
  const offered = models.find((name) => snapshot.groupsOffered(name) !== undefined);
  const model = offered ?? models[0] ?? "";
  const { group, tiers } = findTerms(snapshot, pinned, model);
  const price = findPrice(deps, model, group);
  // A task has no tokens: by a price of tokens it would be free.
  if (price.kind !== "call") throw noCallPrice(model);
  return {
    model,
    group,
    price,
    priceVersion: snapshot.prices.id,
    logPrice: makeLogPrice(snapshot.prices.list, model, group),
    costOf(channel, usage) {
      const costs = snapshot.findChannel(channel?.id ?? 0)?.costs ?? null;
      const cost = upstreamCost(costs, model, usage);
      return { cost, costVersion: costs?.version ?? 0, reportedCost: "" };
    },
    choose: (fits) => {
      const retries = pinned.pinnedChannelId === null ? snapshot.options.retryTimes : 0;
      return openTaskTrip(state, { model, tiers, retries }, fits);
    },
    hold: async (amount) =>
      await askHold(
        deps,
        { requestId: meta.requestId, credential, plan: { model, group }, tags },
        amount,
        amount,
      ),
  };
}
