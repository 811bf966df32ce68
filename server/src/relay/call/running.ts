/** What runs now, in the words of the console, and how it is stopped by hand. */

import { charge, noUsage } from "@tollgate/contract/money/charge.ts";
import { isMeant, type RunningFilter } from "#canonical/running-filter.ts";
import { cancel } from "#network/cancellation.ts";
import type {
  ChannelReason,
  Running,
  RunningCall,
  RunningPage,
  StoppedBy,
} from "#ports/running.ts";
import type { OpenCall } from "./attempt-state.ts";
import type { Stop } from "./endings.ts";
import type { Credential } from "./facts.ts";
import { stoppedByHand } from "./refusals.ts";
import type { RelayState, SessionNow } from "./relay-state.ts";

/** Bytes of a prompt's text that are taken for one token while nobody has counted them. */
const bytesPerToken = 4;

/** What a picture or another media part is taken for, in tokens. */
const mediaTokens = 1_000;

/** Opens the view of a relay's running calls. It keeps nothing: each question looks anew. */
export function openRunning(state: RelayState): Running {
  return {
    list: (filter, most) => list(state, filter, most),
    stop: (filter, by) => stop(state, filter, by),
    isDraining: () => state.isStopping,
  };
}

/** Finds what matches, in the order in which it began. */
function list(state: RelayState, filter: RunningFilter, most: number): RunningPage {
  const nowMs = state.deps.ticker.nowMs();
  const asked = { filter, nowMs };
  const calls: RunningCall[] = [];
  let total = 0;
  for (const call of state.calls) {
    if (!isAsked(state, asked, call, call.requestId)) continue;
    total += 1;
    if (calls.length < most) calls.push(describe(call, nowMs));
  }
  for (const session of state.sessions) {
    const now = session.now();
    if (now === null || !isAsked(state, asked, now, now.id)) continue;
    total += 1;
    if (calls.length < most) calls.push(describeSession(now, nowMs));
  }
  return { calls, total };
}

/** Ends what matches and is not ending already. */
function stop(state: RelayState, filter: RunningFilter, by: StoppedBy): number {
  const asked = { filter, nowMs: state.deps.ticker.nowMs() };
  let count = 0;
  for (const call of state.calls) {
    if (call.stop !== null || !isAsked(state, asked, call, call.requestId)) continue;
    call.stop = endingBy(by, call.credential);
    cancel(call.attempt);
    count += 1;
  }
  for (const session of state.sessions) {
    const now = session.now();
    if (now === null || !isAsked(state, asked, now, now.id)) continue;
    session.stop(endingBy(by, now.credential));
    count += 1;
  }
  return count;
}

/** The longest name and reason that stand in a row, in characters. */
const wordsMax = 200;

/** How a call ends that somebody has stopped; its row says who and why. */
function endingBy({ reason, userId, username }: StoppedBy, { user }: Credential): Stop {
  const who = username.slice(0, wordsMax);
  const why = reason.slice(0, wordsMax);
  const note = why === "" ? `已由 ${who} 停止` : `已由 ${who} 停止：${why}`;
  // Whoever stops an own call leaves it, as a client that disconnects.
  return { status: 403, error: stoppedByHand, note, isOwn: userId === user.id };
}

type Question = { readonly filter: RunningFilter; readonly nowMs: number };

function isAsked(
  { deps }: RelayState,
  { filter, nowMs }: Question,
  {
    credential,
    model,
    startedMs,
    tried,
  }: Pick<OpenCall, "credential" | "model" | "startedMs" | "tried">,
  id: string,
): boolean {
  const { user } = credential;
  return isMeant(filter, {
    id,
    ...whose(credential),
    role: deps.snapshot.findUser(user.id)?.role ?? user.role,
    model,
    channelId: tried.at(-1)?.id ?? 0,
    ageMs: nowMs - startedMs,
  });
}

function describe(call: OpenCall, nowMs: number): RunningCall {
  const { credential, firstByteMs, formatId, group, isStream, model, requestId, tried } = call;
  const outputTokens = Math.round(call.meter?.outputTokens ?? 0);
  return {
    id: requestId,
    kind: "call",
    ...whose(credential),
    model,
    group,
    formatId,
    isStream,
    ...channelOf(call),
    attempts: tried.length,
    ageMs: Math.max(0, Math.round(nowMs - call.startedMs)),
    firstByteMs: firstByteMs === null ? null : Math.round(firstByteMs),
    outputTokens,
    cost: costSoFar(call, outputTokens),
    held: call.bill.isOpen ? call.bill.hold.amount() : 0,
    clientGone: call.clientGone,
    isStopping: call.stop !== null,
  };
}

function whose({ token, user }: Credential) {
  return {
    userId: user.id,
    username: user.username,
    tokenId: token.id,
    tokenName: token.name,
  };
}

function describeSession(
  { credential, formatId, group, id, model, startedMs, tried }: SessionNow,
  nowMs: number,
): RunningCall {
  const channel = tried.at(-1);
  return {
    id,
    kind: "session",
    ...whose(credential),
    model,
    group,
    formatId,
    isStream: true,
    channelId: channel?.id ?? 0,
    channelName: channel?.name ?? "",
    reason: tried.length > 1 ? "retry" : "",
    attempts: tried.length,
    ageMs: Math.max(0, Math.round(nowMs - startedMs)),
    firstByteMs: null,
    outputTokens: 0,
    cost: 0,
    held: 0,
    clientGone: false,
    isStopping: false,
  };
}

function channelOf(call: OpenCall): Pick<RunningCall, "channelId" | "channelName" | "reason"> {
  const channel = call.tried.at(-1);
  if (channel === undefined) return { channelId: 0, channelName: "", reason: "" };
  return { channelId: channel.id, channelName: channel.name, reason: reasonOf(call, channel.id) };
}

function reasonOf({ bound, plan, tried }: OpenCall, channelId: number): ChannelReason {
  if (plan.pinned) return "pinned";
  if (tried.length > 1) return "retry";
  if (bound !== null) return "issuer";
  if (plan.candidates <= 1) return "only";
  const tier = plan.tiers.find(({ channels }) => channels.some(({ id }) => id === channelId));
  return (tier?.channels.length ?? 0) > 1 ? "weight" : "priority";
}

/**
 * What has come so far would cost about this much: the prompt, which the upstream has not counted
 * yet, by its bytes. 0 before anything was sent to an upstream.
 */
function costSoFar({ body, bounds, dispatched, price }: OpenCall, output: number): number {
  if (!dispatched) return 0;
  const prompt = Math.ceil(body.textBytes / bytesPerToken) + body.mediaParts * mediaTokens;
  const usage = { ...noUsage, input: Math.min(bounds.input, prompt), output };
  const { callThousandths } = bounds;
  return charge(price, callThousandths === undefined ? usage : { ...usage, callThousandths });
}
