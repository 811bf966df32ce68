/**
 * Admits a session whose client names the model in its first message: before a byte of that is read,
 * the least is held that any model costs which the client may name.
 */

import { CallRefusal } from "#relay/call/call-refusal.ts";
import { noLiveModel } from "#relay/call/refusals.ts";
import { planCall } from "#relay/admission/admit.ts";
import { serves } from "#relay/ways/upstream-format.ts";
import { sessionTags } from "#relay/call/tags.ts";
import type { Plan } from "#relay/plan.ts";
import { costOfResponse, holdResponse, type RealtimeBill } from "./bill.ts";
import type { Opening } from "./opening.ts";

/** @throws CallRefusal, as a rejection. */
export async function holdEntry(opening: Opening): Promise<RealtimeBill> {
  const { clientIp, credential, state } = opening;
  const plan = cheapestPlan(opening);
  if (plan === null) throw noLiveModel();
  const tags = sessionTags(credential, opening.request.headers);
  const facts = { state, credential, clientIp, plan, tags, tried: [] };
  return await holdResponse(facts, state.deps.newRequestId(), null);
}

function cheapestPlan(opening: Opening): Plan | null {
  const { state } = opening;
  let cheapest: Plan | null = null;
  let least = Infinity;
  for (const model of liveModels(opening)) {
    const plan = planOf(opening, model);
    const cost = plan === null ? Infinity : costOfResponse({ plan, state }, null);
    if (cost < least) {
      cheapest = plan;
      least = cost;
    }
  }
  return cheapest;
}

/** Returns the names of all models that some channel serves in such sessions. */
function liveModels({ formatId, state }: Opening): ReadonlySet<string> {
  const models = new Set<string>();
  for (const channel of state.deps.snapshot.channels()) {
    if (channel.status !== 1 || !serves(channel, formatId, "realtime")) continue;
    for (const model of channel.models) models.add(model);
  }
  return models;
}

/** Null: the caller may not use the model. */
function planOf({ credential, formatId, state }: Opening, model: string): Plan | null {
  try {
    const kind = { formatId, modality: "realtime", isStream: true } as const;
    return planCall(state.deps, state.plans, credential, model, kind);
  } catch (error) {
    if (error instanceof CallRefusal) return null;
    throw error;
  }
}
