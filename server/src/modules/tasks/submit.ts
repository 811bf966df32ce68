/**
 * Submits a task: quota is held, the row is stored, the request is sent, and the charge is settled
 * in the transaction that gives the row the upstream's id. A request whose answer is not known is
 * never sent again, because it may have begun a task.
 */

import { charge, noUsage } from "@tollgate/contract/money/charge.ts";
import { unixSeconds } from "#base/clock.ts";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { TaskAttempt, TaskChannel, TaskTerms, TaskTrip } from "#ports/task-desk.ts";
import { askUpstream, submitMs, type UpstreamAnswer } from "./ask-upstream.ts";
import type { Accepted, SubmitEnd, Submitting } from "./desk-work.ts";
import { findFollowed, partOf } from "./followed.ts";
import { storedTask } from "./task-state.ts";
import { nextDue } from "./task-times.ts";
import type { TaskRow } from "./tasks.ts";

/** For how long a submission may be unanswered before its task is given up, in milliseconds. */
const graceMs = 3 * submitMs;

export async function submitTask(asked: Omit<Submitting, "named">): Promise<SubmitEnd> {
  const { caller } = asked;
  caller.checkText(asked.submission.prompt);
  const follows = await findFollowed(asked);
  if (follows !== null && "kind" in follows) return follows;
  const { inherit } = asked.submission;
  const submission =
    follows === null || inherit === undefined ? asked.submission : inherit(storedTask(follows.row));
  if (submission.kind === "refused") return { ...submission, code: 0 };
  const named = caller.namesIn(submission.body, submission.follows);
  const given = { ...asked, submission, named };
  const terms = caller.terms(submission.models, follows?.row.channel_id ?? null);
  const trip = terms.choose((channel) => fits(given, channel));
  if (trip === undefined) throw named === "" ? caller.noChannel(terms) : caller.notGiven(named);
  return await submitOn(given, { terms, trip, follows: follows?.row ?? null });
}

type Start = {
  readonly terms: TaskTerms;
  readonly trip: TaskTrip;
  readonly follows: TaskRow | null;
};

/** Submits a task whose channel is chosen. */
export async function submitOn(
  given: Submitting,
  { terms, trip, follows }: Start,
): Promise<SubmitEnd> {
  const { deps, submission, caller } = given;
  const cost = charge(terms.price, { ...noUsage, task: submission.use });
  const hold = await terms.hold(cost);
  const taskId = deps.newTaskId();
  let settled = false;
  try {
    const { first } = trip;
    const key = keyFor(given, { trip, follows }, first);
    // What has no words of its own is drawn from those of the task that it follows.
    const prompt = submission.prompt || (follows?.prompt ?? "");
    await deps.store.addTask(
      newRow(given, { terms, taskId, cost, prompt, channel: first, keyRef: deps.keyRef(key) }),
    );
    const sent = await sendToOne(given, { taskId, terms, trip, key, follows });
    const end = await readEnd(given, terms, taskId, sent);
    if (end.kind === "refused") return end;
    const known = await deps.store.findUpstreamTask(sent.channel.id, end.submitted.upstreamId);
    if (known !== null) return await answerKnown(given, taskId, known, end.submitted);
    const log = logOf(given, {
      terms,
      taskId,
      tried: sent.tried,
      upstreamId: end.submitted.upstreamId,
    });
    const settling = hold.settle({ charge: cost, log });
    settled = true;
    const ended = settling.then(
      () => "committed",
      () => "refused",
    );
    const charged = await Promise.race([ended, deps.wait(settleWaitMs)]);
    if (charged === "refused") {
      // Another submission got the same id of the upstream at the same time.
      const twin = await deps.store.findUpstreamTask(sent.channel.id, end.submitted.upstreamId);
      if (twin !== null) return await answerKnown(given, taskId, twin, end.submitted);
    }
    if (charged !== "committed") throw caller.unavailable();
    return await noteAccepted(given, taskId, end.submitted);
  } finally {
    if (!settled) hold.release();
  }
}

/** How long an answer waits for its charge to be committed, in milliseconds. */
const settleWaitMs = 10_000;

/** Whether the channel's upstream has the platform, and the caller may use it. */
export function isUsable(
  { platform, caller }: Pick<Submitting, "caller" | "platform">,
  channel: TaskChannel,
): boolean {
  if (!platform.types.includes(channel.provider.type) || channel.keys.length === 0) return false;
  return (
    !channel.isBackup || platform.deadline !== "drawing" || caller.drawing?.usesBackup === true
  );
}

/** The same for this submission: what it names may go there. */
function fits(given: Submitting, channel: TaskChannel): boolean {
  return isUsable(given, channel) && (given.named === "" || channel.sharesIds);
}

/** A task that follows another one goes to the account of that one. */
function keyFor(
  { deps }: Submitting,
  { follows, trip }: Pick<Start, "follows" | "trip">,
  channel: TaskChannel,
): string {
  const known = channel.keys.find(
    (key) => follows !== null && deps.keyRef(key) === follows.key_ref,
  );
  return known ?? trip.keyFor(channel);
}

type RowFacts = {
  readonly terms: TaskTerms;
  readonly taskId: string;
  readonly cost: number;
  readonly prompt: string;
  readonly channel: TaskChannel;
  readonly keyRef: string;
};

function newRow({ deps, platform, submission, call, caller }: Submitting, facts: RowFacts) {
  const { terms, taskId, cost, prompt, channel, keyRef } = facts;
  const nowMs = deps.now();
  return {
    task_id: taskId,
    request_id: call.requestId,
    platform: platform.id,
    action: submission.action,
    model_name: terms.model,
    group: terms.group,
    user_id: caller.userId,
    token_id: caller.tokenId,
    token_limited: caller.tokenLimited ? 1 : 0,
    channel_id: channel.id,
    key_ref: keyRef,
    prompt: prompt.slice(0, promptMax),
    state: submission.state.slice(0, promptMax),
    notify_hook: submission.notifyHook.slice(0, 500),
    cost,
    submit_time: nowMs,
    due_at: nowMs + graceMs,
    deadline_at: nowMs + deps.deadlineMs(platform.deadline),
  };
}

/** The longest prompt that is stored, in characters. */
const promptMax = 4_000;

type Tried = {
  readonly channel: TaskChannel;
  readonly tried: readonly TaskChannel[];
  readonly answer: UpstreamAnswer;
};

type Trying = {
  readonly taskId: string;
  readonly terms: TaskTerms;
  readonly trip: TaskTrip;
  readonly key: string;
  readonly follows: TaskRow | null;
};

/** Sends the request to one channel after another, while it is certain that none has begun it. */
async function sendToOne(given: Submitting, trying: Trying): Promise<Tried> {
  const { deps } = given;
  const { follows, taskId, trip } = trying;
  const others = follows === null ? (one: TaskChannel) => fits(given, one) : null;
  let last: Omit<Tried, "tried"> | undefined;
  await trip.tryInTurn(others, async (channel, isRetry, use) => {
    const key = isRetry ? trip.keyFor(channel) : trying.key;
    use(key);
    if (isRetry) {
      await deps.store.moveTask({ taskId, channelId: channel.id, keyRef: deps.keyRef(key) });
    }
    const answer = await sendOnce(given, { ...trying, channel, key });
    last = { channel, answer };
    return attemptOf(answer);
  });
  if (last === undefined) throw new Error(`task ${taskId} was sent to nobody`);
  return { ...last, tried: trip.tried };
}

function attemptOf(answer: UpstreamAnswer): TaskAttempt {
  return {
    fault: faultOf(answer),
    isRetryable: mayRetry(answer),
    answer: answer.kind === "answer" ? answer : null,
  };
}

type Sending = Trying & { readonly channel: TaskChannel };

async function sendOnce(
  { deps, platform, submission }: Submitting,
  { channel, key, terms, follows }: Sending,
): Promise<UpstreamAnswer> {
  const ask = platform.submitRequest({
    submission,
    upstreamModel: channel.modelMapping.get(terms.model) ?? terms.model,
    followsUpstream: follows?.upstream_id ?? "",
    followsPart:
      follows === null || submission.part === undefined
        ? ""
        : partOf(platform, follows, submission.part),
    notifyUrl: platform.notifies === true ? deps.notifyUrl(channel, key) : "",
  });
  const nowSeconds = unixSeconds(deps.now());
  const request = { platform, channel, key, ask, totalMs: submitMs, nowSeconds };
  return await askUpstream(deps.transport, request);
}

function faultOf(answer: UpstreamAnswer): string | null {
  if (answer.kind === "fault") return answer.code;
  return answer.status >= 500 || answer.status === 429 ? `http-${answer.status}` : null;
}

/** Statuses behind which the upstream may still work on the task. */
const workingStatuses = [504, 524];

function mayRetry(answer: UpstreamAnswer): boolean {
  if (answer.kind === "fault") return answer.unsent;
  return (
    answer.status === 429 || (answer.status >= 500 && !workingStatuses.includes(answer.status))
  );
}

type ReadEnd =
  | { readonly kind: "accepted"; readonly submitted: Accepted }
  | (SubmitEnd & { kind: "refused" });

/** Reads what the last upstream answered, and ends the task's row if it was not accepted. */
async function readEnd(
  given: Submitting,
  terms: TaskTerms,
  taskId: string,
  sent: Tried,
): Promise<ReadEnd> {
  const { deps, platform, caller } = given;
  const { answer, channel } = sent;
  const submitted =
    answer.kind === "answer"
      ? platform.readSubmitted(answer.status, answer.answer, given.submission.action)
      : undefined;
  if (submitted?.kind === "accepted") return { kind: "accepted", submitted };
  const end = async (
    status: "FAILURE" | "UNKNOWN",
    code: number,
    message: string,
    http: number,
  ): Promise<ReadEnd> => {
    await deps.store.endUnsubmitted({ taskId, status, code, reason: message, nowMs: deps.now() });
    caller.failed(terms, sent.tried, { status: http, code: "task_not_submitted", message });
    return { kind: "refused", status: http, code, message };
  };
  if (submitted?.kind === "rejected") {
    if (submitted.disables && channel.autoBan) deps.disableChannel(channel.id, noAccountReason);
    return await end("FAILURE", submitted.code, submitted.description || "上游拒绝了任务", 400);
  }
  const isRefusal = answer.kind === "fault" ? answer.unsent : isAnswered(answer.status);
  if (isRefusal) return await end("FAILURE", 0, "上游渠道暂不可用，请稍后再试", 502);
  return await end("UNKNOWN", 0, "上游没有完整应答，任务状态未知，未计费", 502);
}

const noAccountReason = "No available account instance";

/** Whether a status says that no task was begun, although the body names none. */
function isAnswered(status: number): boolean {
  return status >= 300 && !workingStatuses.includes(status);
}

/** The upstream names a task that it has already: it costs nothing, and only its owner may see it. */
async function answerKnown(
  { deps, caller }: Submitting,
  taskId: string,
  known: TaskRow,
  submitted: Accepted,
): Promise<SubmitEnd> {
  if (known.user_id === caller.userId) {
    await deps.store.dropTask(taskId);
    return { kind: "accepted", row: known, submitted };
  }
  const message = "上游返回了已存在的任务，未计费";
  await deps.store.endUnsubmitted({
    taskId,
    status: "FAILURE",
    code: submitted.code,
    reason: message,
    nowMs: deps.now(),
  });
  return { kind: "refused", status: 502, code: submitted.code, message };
}

type LogFacts = {
  readonly terms: TaskTerms;
  readonly taskId: string;
  readonly tried: readonly TaskChannel[];
  readonly upstreamId: string;
};

function logOf({ deps, submission, call, caller }: Submitting, facts: LogFacts): ChargedCallLog {
  const { terms, taskId, tried, upstreamId } = facts;
  const nowMs = deps.now();
  const row = { deadline_at: nowMs + 1e9, status: "", submit_time: nowMs, upstream_id: upstreamId };
  return {
    requestId: call.requestId,
    createdAt: unixSeconds(nowMs),
    userId: caller.userId,
    username: caller.username,
    tokenId: caller.tokenId,
    tokenName: caller.tokenName,
    tried: tried.map(({ id }) => id),
    modelName: terms.model,
    upstreamModel: "",
    group: terms.group,
    useTimeSeconds: 0,
    firstByteMs: null,
    isStream: false,
    clientIp: call.clientIp,
    effort: "",
    losses: [],
    ...(caller.tags.length === 0 ? {} : { tags: caller.tags }),
    usage: noUsage,
    usageSource: "upstream",
    seenOutput: 0,
    priceVersion: terms.priceVersion,
    price: terms.logPrice,
    ...terms.costOf(tried.at(-1), { ...noUsage, task: submission.use }),
    interrupted: "",
    doubt: "",
    hiddenOutput: false,
    task: {
      id: taskId,
      upstreamId,
      action: submission.action,
      use: submission.use,
      dueAt: nextDue(row, nowMs, deps.random()),
    },
  };
}

async function noteAccepted(
  { deps }: Submitting,
  taskId: string,
  submitted: Accepted,
): Promise<SubmitEnd> {
  const { code, description, state } = submitted;
  if (code !== 1 || description !== "") {
    await deps.store.noteSubmitted({ taskId, code, description });
  }
  if (state !== null) deps.told(await deps.store.noteState({ taskId, state, nowMs: deps.now() }));
  const row = await deps.store.findTask(taskId, null);
  if (row === null) throw new Error(`task ${taskId} is gone`);
  return { kind: "accepted", row, submitted };
}
