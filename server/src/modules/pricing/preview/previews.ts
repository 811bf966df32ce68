/**
 * Previews: the node that began one goes on with it step by step beside the calls, so that nobody
 * waits for it. How far it is and its result are stored, so every node can answer.
 */

import type { PreviewResult, PricePreview } from "@tollgate/contract/endpoints/price-previews.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Logger } from "#base/logger.ts";
import type { Random } from "#base/random.ts";
import { Refusal } from "#base/refusal.ts";
import type { RemoteStore } from "#db/store.ts";
import type { pricingStore } from "#modules/pricing/pricing.store.ts";
import type { PreviewPlan, Tried } from "./preview.repo.ts";
import { openTotals } from "./preview-sums.ts";
import { interrupted, type PreviewNews } from "./stored-previews.ts";

type PreviewStore = Pick<
  RemoteStore<typeof pricingStore>,
  | "addPreview"
  | "beginPreview"
  | "dropPreview"
  | "previewStep"
  | "readPreview"
  | "readUserNames"
  | "savePreview"
>;

type PreviewDeps = {
  readonly store: PreviewStore;
  readonly random: Random;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  readonly log: Logger;
};

/** The calls that are charged again: those of the last days, or from `start` to before `end`. */
type Period = {
  readonly days: number;
  /** Unix seconds; undefined: the last days. */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
};

export type Previews = {
  /**
   * Begins a preview.
   * @throws Refusal `invalid-input` if what is tried is invalid; `limit-reached` while too many run.
   */
  begin(tried: Tried, asked: Period, by: number): Promise<PricePreview>;
  /** @throws Refusal `not-found` */
  read(name: string): Promise<PricePreview>;
  /** Ends a preview, if it runs, and forgets it. */
  remove(name: string): Promise<void>;
};

/** The pause after each step, in milliseconds, so that calls have the processor first. */
const pauseMs = 5;

/** How often it is written how far a preview is, in milliseconds. */
const saveMs = 300;

const hourSeconds = 3_600;
const daySeconds = 86_400;
const nameLength = 20;

/** The longest span that is charged again, in seconds. */
const spanMax = 400 * daySeconds;

/** Opens the previews. */
export function openPreviews({ store, random, now, elapsed, log }: PreviewDeps): Previews {
  async function run(plan: PreviewPlan): Promise<void> {
    const progress: Progress = { state: "running", done: 0 };
    let savedAt = elapsed();
    const save = async (news: Omit<PreviewNews, "done" | "nowMs">): Promise<boolean> =>
      await store.savePreview(plan.name, { ...news, done: progress.done, nowMs: now() });
    const runs = { state: "running", message: "", result: null } as const;
    try {
      const result = await chargeAll(store, plan, progress, async () => {
        if (elapsed() - savedAt < saveMs) return;
        savedAt = elapsed();
        if (!(await save(runs))) progress.state = "cancelled";
      });
      if (result !== null) await save({ state: "done", message: "", result });
    } catch (error) {
      const message = error instanceof Refusal ? error.message : interrupted;
      log.warn({ error: String(error) }, "a preview of prices was interrupted");
      // Where the store cannot be reached, the preview is found to have lost its node.
      await save({ state: "failed", message, result: null }).catch(() => false);
    }
  }

  async function find(name: string): Promise<PricePreview> {
    const found = await store.readPreview(name, now());
    if (found === undefined) throw new Refusal("not-found", "试算不存在，可能已过期");
    return found.preview;
  }

  return {
    async begin(tried, asked, by) {
      const nowMs = now();
      const span = spanOf(asked, nowMs);
      const name = random.text(nameLength);
      const { plan, about } = await store.beginPreview({ name, tried, by, nowMs, ...span });
      if (!(await store.addPreview({ plan, days: asked.days, about }))) {
        throw new Refusal("limit-reached", "正在进行的试算过多，请稍后再试");
      }
      void run(plan);
      return await find(name);
    },
    read: find,
    async remove(name) {
      if (!(await store.dropPreview(name))) {
        throw new Refusal("not-found", "试算不存在，可能已过期");
      }
    },
  };
}

/** @throws Refusal `invalid-input` if the span is none, or too long. */
function spanOf({ days, start, end }: Period, nowMs: number): ReturnType<typeof previewSpan> {
  if (start === undefined && end === undefined) return previewSpan(days, nowMs);
  const span = { start: start ?? 0, end: Math.min(end ?? Infinity, unixSeconds(nowMs) + 1) };
  if (span.start < 0 || span.end <= span.start || span.end - span.start > spanMax) {
    throw new Refusal("invalid-input", "时间范围无效");
  }
  return span;
}

/** Returns the last days, from a whole hour on, in Unix seconds. */
export function previewSpan(
  days: number,
  nowMs: number,
): { readonly start: number; readonly end: number } {
  const end = unixSeconds(nowMs) + 1;
  const first = end - days * daySeconds;
  return { start: first - (first % hourSeconds), end };
}

/** How far a preview is; whoever sets another state than `running` ends it. */
type Progress = { state: PricePreview["state"]; done: number };

/**
 * Charges all calls of a preview again, step by step.
 *
 * @returns null if it was ended before.
 */
export async function chargeAll(
  store: Pick<PreviewStore, "previewStep" | "readUserNames">,
  plan: PreviewPlan,
  progress: Progress,
  onStep: () => Promise<void> = async () => {},
): Promise<PreviewResult | null> {
  const totals = openTotals();
  let place: Awaited<ReturnType<PreviewStore["previewStep"]>>["next"] = null;
  do {
    const step: Awaited<ReturnType<PreviewStore["previewStep"]>> = await store.previewStep(
      plan,
      place,
    );
    totals.add(step);
    progress.done += step.rows;
    await onStep();
    if (progress.state !== "running") return null;
    place = step.next;
    if (place !== null) await Bun.sleep(pauseMs);
  } while (place !== null);
  const names = await store.readUserNames(totals.userIds());
  return totals.result(new Map(names));
}
