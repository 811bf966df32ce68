import * as contract from "@tollgate/contract/endpoints/live.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { allRunning, type RunningFilter } from "#canonical/running-filter.ts";
import { Refusal } from "#base/refusal.ts";
import { type Caller, type Handler, handle, pushReply } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import type { LiveNodes } from "./live-nodes.ts";
import { callsOf, isCut, makeView, type RoleOf, seenBy, type Viewer } from "./live-view.ts";
import type { Running } from "#ports/running.ts";

type LiveDeps = {
  readonly running: Running;
  readonly nodes: LiveNodes;
  readonly roleOf: RoleOf;
  /** Whether a caller is still who the caller was when the answer began. */
  readonly isStill: (caller: Viewer) => boolean;
  readonly requireStepUp: SecondFactor["requireStepUp"];
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
};

/** How often a reader is told what runs, in milliseconds. */
const tellEveryMs = 1_000;

/**
 * So many readers are told that often. More are told less often, so that all together cost no more:
 * a view of 1,000 running calls takes 0.7 ms, and these less than 1 % of a core.
 */
const readersAtEase = 12;

/** How many readers one user, and all users of a node, may have at a time. */
const readersOfOneMax = 6;
const readersMax = 60;

/** The console API of running calls. */
export function liveHandlers(deps: LiveDeps): Handler[] {
  const readers = openReaders();
  return [
    handle(contract.readLive, async (input, caller) => {
      await deps.nodes.readOthers();
      return makeView(deps, caller, filterOf(input, caller));
    }),

    handle(contract.streamLive, async (input, caller) => {
      const seconds = Math.min(input.seconds ?? Infinity, contract.liveSecondsMax);
      readers.check(caller.userId);
      const filter = filterOf(input, caller);
      return pushReply(tell(deps, readers, { caller, filter, times: Math.max(0, seconds) + 1 }));
    }),

    handle(contract.stopLive, async (input, caller) => await stop(deps, input, caller)),
  ];
}

type Readers = ReturnType<typeof openReaders>;

/** Counts the readers that are told what runs. */
function openReaders() {
  const byUser = new Map<number, number>();
  let all = 0;
  return {
    /** @throws Refusal `rate-limited`. */
    check(userId: number): void {
      const own = byUser.get(userId) ?? 0;
      if (all < readersMax && own < readersOfOneMax) return;
      throw new Refusal("rate-limited", "同时打开的实时页面过多，请关闭其他页面后重试", {
        retryAfterMs: contract.liveSecondsMax * 1_000,
      });
    },
    /** How long a reader waits for the next view, in milliseconds. */
    pauseMs: (): number => tellEveryMs * Math.max(1, all / readersAtEase),
    enter(userId: number): void {
      all += 1;
      byUser.set(userId, (byUser.get(userId) ?? 0) + 1);
    },
    leave(userId: number): void {
      all -= 1;
      const left = (byUser.get(userId) ?? 1) - 1;
      if (left === 0) byUser.delete(userId);
      else byUser.set(userId, left);
    },
  };
}

type Telling = {
  readonly caller: Caller;
  readonly filter: RunningFilter;
  /** How many views are told. */
  readonly times: number;
};

/**
 * Tells a reader what runs, until the reader leaves, may not see it any more, or the node has nothing
 * to wait for.
 */
async function* tell(deps: LiveDeps, readers: Readers, { caller, filter, times }: Telling) {
  const { nodes, running, wait } = deps;
  readers.enter(caller.userId);
  const unwatch = nodes.watch();
  try {
    for (let told = 0; told < times && deps.isStill(caller); told += 1) {
      yield makeView(deps, caller, filter);
      // A reader must not keep the node from stopping.
      if (running.isDraining() && running.list(allRunning, 0).total === 0) return;
      if (told + 1 < times) await wait(readers.pauseMs());
    }
  } finally {
    unwatch();
    readers.leave(caller.userId);
  }
}

type LiveQuery = {
  readonly username: string;
  readonly token_name: string;
  readonly model_name: string;
  readonly channel?: number | undefined;
  readonly min_seconds?: number | undefined;
};

function filterOf(asked: LiveQuery, viewer: Viewer): RunningFilter {
  const isOperator = viewer.role >= role.enum.admin;
  const { channel, min_seconds, model_name, token_name, username } = asked;
  return {
    ...seenBy(viewer),
    ...(model_name === "" ? {} : { modelLike: model_name.toLowerCase() }),
    ...(token_name === "" ? {} : { tokenLike: token_name.toLowerCase() }),
    ...(username === "" || !isOperator ? {} : { userLike: username.toLowerCase() }),
    ...(channel === undefined || !isOperator ? {} : { channelId: channel }),
    ...(min_seconds === undefined ? {} : { minMs: min_seconds * 1_000 }),
  };
}

type StopInput = {
  readonly request_ids?: readonly string[] | undefined;
  readonly user_id?: number | undefined;
  readonly token_id?: number | undefined;
  readonly model_name?: string | undefined;
  readonly channel?: number | undefined;
  readonly min_seconds?: number | undefined;
  readonly reason?: string | undefined;
};

async function stop(deps: LiveDeps, { reason = "", ...asked }: StopInput, caller: Caller) {
  const filter = meantBy(asked, caller);
  if (await isMany(deps, filter)) await deps.requireStepUp(caller);
  const { userId, username } = caller;
  return await deps.nodes.stop({
    filter,
    by: { userId, username, reason },
    order: {
      actor: actorOf(caller),
      target: targetOf(asked),
      detail: { ...asked, reason },
      nowMs: deps.now(),
    },
  });
}

/** @throws Refusal when the input names no calls. */
function meantBy(asked: Omit<StopInput, "reason">, viewer: Viewer): RunningFilter {
  const { channel, min_seconds, model_name, request_ids, token_id, user_id } = asked;
  if (channel !== undefined && viewer.role < role.enum.admin) {
    throw new Refusal("not-allowed", "无权进行此操作，权限不足");
  }
  const named = {
    ...(request_ids === undefined ? {} : { requestIds: request_ids }),
    ...(user_id === undefined ? {} : { userId: user_id }),
    ...(token_id === undefined ? {} : { tokenId: token_id }),
    ...(model_name === undefined ? {} : { model: model_name }),
    ...(channel === undefined ? {} : { channelId: channel }),
    ...(min_seconds === undefined ? {} : { minMs: min_seconds * 1_000 }),
  };
  if (Object.keys(named).length === 0) {
    throw new Refusal("invalid-input", "请指明要停止哪些调用");
  }
  return { ...seenBy(viewer), ...named };
}

/** Whether so many calls are meant, on all nodes, that the second factor must be fresh. */
async function isMany(deps: LiveDeps, filter: RunningFilter): Promise<boolean> {
  const { requestIds } = filter;
  if (requestIds !== undefined && requestIds.length <= contract.stopsUnproven) return false;
  const here = deps.running.list(filter, 0).total;
  if (here > contract.stopsUnproven) return true;
  const others = await deps.nodes.readOthers();
  const there = others.flatMap((node) => callsOf(deps, node, filter)).length;
  return here + there > contract.stopsUnproven || others.some(isCut);
}

/** The noun and the id of what is stopped, for the audit log. */
function targetOf(asked: Omit<StopInput, "reason">): string {
  const { channel, model_name, request_ids, token_id, user_id } = asked;
  const [first, second] = request_ids ?? [];
  if (first !== undefined) return second === undefined ? `call:${first}` : "calls";
  if (token_id !== undefined) return `token:${token_id}`;
  if (user_id !== undefined) return `user:${user_id}`;
  if (channel !== undefined) return `channel:${channel}`;
  return model_name === undefined ? "calls" : `model:${model_name}`;
}
