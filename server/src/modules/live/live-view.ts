/** Makes what one reader sees of the calls that run now on all nodes. */

import {
  type LiveCall,
  liveCallsMax,
  type LiveNode,
  type LiveView,
} from "@tollgate/contract/endpoints/live.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { allRunning, isMeant, type RunningFilter } from "#canonical/running-filter.ts";
import type { Running, RunningCall } from "#ports/running.ts";
import { answersMs, type LiveNodes, type OtherNode } from "./live-nodes.ts";

/** The role of a user; undefined: there is none with that id. */
export type RoleOf = (userId: number) => number | undefined;

type ViewDeps = {
  readonly running: Running;
  readonly nodes: Pick<LiveNodes, "name" | "others">;
  readonly roleOf: RoleOf;
};

/** Who looks: administrators see channels and nodes. */
export type Viewer = { readonly userId: number; readonly role: number };

/** Root sees everybody, others those below them; everybody sees oneself. */
export function seenBy({ userId, role: own }: Viewer): RunningFilter {
  if (own >= role.enum.root) return { belowRole: role.enum.root + 1, ownId: userId };
  return { belowRole: own >= role.enum.admin ? own : 0, ownId: userId };
}

export function makeView(deps: ViewDeps, viewer: Viewer, filter: RunningFilter): LiveView {
  const { nodes, running } = deps;
  const isOperator = viewer.role >= role.enum.admin;
  const here = running.list(filter, liveCallsMax);
  const others = nodes.others();
  const found = [
    ...here.calls.map((call) => ({ call, node: nodes.name })),
    ...others.flatMap((node) => callsOf(deps, node, filter)),
  ];
  const shown = found.toSorted((a, b) => b.call.ageMs - a.call.ageMs).slice(0, liveCallsMax);
  const total = here.total + found.length - here.calls.length;
  return {
    calls: shown.map(({ call, node }) => showCall(call, isOperator ? node : null)),
    total,
    sampled: total > shown.length || others.some(isCut),
    nodes: isOperator ? listNodes(deps) : [],
  };
}

/** Whether more calls run on a node than it has told. */
export function isCut({ calls, total }: OtherNode): boolean {
  return total > calls.length;
}

/** The calls of another node that match, as old as they are now. */
export function callsOf(
  { roleOf }: Pick<ViewDeps, "roleOf">,
  node: OtherNode,
  filter: RunningFilter,
) {
  return node.calls
    .map((call) => ({ ...call, ageMs: call.ageMs + node.ageMs }))
    .filter((call) => isMeant(filter, { ...call, role: roleOf(call.userId) ?? role.enum.root }))
    .map((call) => ({ call, node: node.name }));
}

function listNodes({ nodes, running }: ViewDeps): LiveNode[] {
  const all = running.list(allRunning, 0).total;
  const own = { name: nodes.name, calls: all, draining: running.isDraining(), answers: true };
  return [
    own,
    ...nodes.others().map(({ name, total, isDraining, ageMs }) => ({
      name,
      calls: total,
      draining: isDraining,
      answers: ageMs <= answersMs,
    })),
  ];
}

/** @param node null: the reader may not know of nodes and channels. */
function showCall(call: RunningCall, node: string | null): LiveCall {
  const { ageMs, firstByteMs, outputTokens } = call;
  const writingMs = firstByteMs === null ? 0 : ageMs - firstByteMs;
  const isOperator = node !== null;
  return {
    request_id: call.id,
    kind: call.kind,
    user_id: call.userId,
    username: call.username,
    token_id: call.tokenId,
    token_name: call.tokenName,
    model_name: call.model,
    group: call.group,
    format: call.formatId,
    is_stream: call.isStream,
    channel: isOperator ? call.channelId : 0,
    channel_name: isOperator ? call.channelName : "",
    reason: isOperator ? call.reason : "",
    attempts: isOperator ? call.attempts : 0,
    age_ms: Math.round(ageMs),
    first_byte_ms: firstByteMs,
    output_tokens: outputTokens,
    tokens_per_second: writingMs > 0 ? Math.round((outputTokens * 10_000) / writingMs) / 10 : 0,
    quota: call.cost,
    held: call.held,
    client_gone: call.clientGone,
    stopping: call.isStopping,
    node: node ?? "",
  };
}
