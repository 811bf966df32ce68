/** Sums up where a channel stands: groups and models that stand alike are one line. */

import * as contract from "@tollgate/contract/endpoints/channels.ts";
import { unixSeconds } from "#base/clock.ts";
import type { ChannelStanding } from "./channels.ts";

type Line = contract.ChannelStanding["lines"][number];
type Part = ChannelStanding["parts"][number];

const kinds = [
  "no-group",
  "no-price",
  "cooldown",
  "ejected",
  "limit",
  "probing",
  "weightless",
  "reserve",
  "used",
] as const satisfies readonly contract.StandingKind[];

export function showStanding(
  { state, parts }: ChannelStanding,
  { status, other_info }: Pick<contract.ChannelStanding, "other_info" | "status">,
): contract.ChannelStanding {
  // Parts that stand alike, first by model, so that a line holds for each of its groups.
  const byModel = Map.groupBy(parts, (part) => `${alike(part)} ${part.model}`);
  const lines = Map.groupBy([...byModel.values()], (own) => {
    const groups = own.map(({ group }) => group).toSorted();
    return JSON.stringify([own[0] === undefined ? "" : alike(own[0]), groups]);
  });
  const shown = [...lines.values()].map(lineOf).filter((line) => line !== null);
  return {
    state,
    status,
    other_info,
    lines: shown.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind)),
  };
}

function alike({ kind, share, untilMs }: Part): string {
  return `${kind} ${share} ${untilMs}`;
}

function lineOf(models: readonly (readonly Part[])[]): Line | null {
  const first = models[0]?.[0];
  if (first === undefined) return null;
  const { kind, share, untilMs } = first;
  const names = models.flatMap(([part]) => (part === undefined ? [] : [part.model]));
  return {
    kind,
    groups: (models[0] ?? []).map(({ group }) => group),
    models: names.slice(0, contract.standingNamesMax),
    model_count: names.length,
    share,
    until: untilMs === 0 ? 0 : unixSeconds(untilMs),
  };
}
