/**
 * The previews of this node: each goes on step by step beside the calls, so that nobody waits for
 * it, and its result is kept for a while.
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

type PreviewStore = Pick<
  RemoteStore<typeof pricingStore>,
  "beginPreview" | "previewStep" | "readUserNames"
>;

type PreviewDeps = {
  readonly store: PreviewStore;
  readonly random: Random;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

export type Previews = {
  /**
   * Begins a preview.
   * @throws Refusal `invalid-input` if what is tried is invalid; `limit-reached` while too many run.
   */
  begin(tried: Tried, days: number, by: number): Promise<PricePreview>;
  /** @throws Refusal `not-found` */
  read(name: string): PricePreview;
  /** Ends a preview, if it runs, and forgets it. */
  remove(name: string): void;
};

/** How many previews run at a time, and how many are kept. */
const runningMax = 2;
const keptMax = 20;

/** The pause after each step, in milliseconds, so that calls have the processor first. */
const pauseMs = 5;

const hourSeconds = 3_600;
const daySeconds = 86_400;
const nameLength = 20;

type Preview = { -readonly [Name in keyof PricePreview]: PricePreview[Name] };

/** Opens the previews of this node. */
export function openPreviews({ store, random, now, log }: PreviewDeps): Previews {
  const kept = new Map<string, Preview>();

  async function run(preview: Preview, plan: PreviewPlan): Promise<void> {
    try {
      const result = await chargeAll(store, plan, preview);
      if (preview.state !== "running") return;
      preview.result = result;
      preview.state = "done";
    } catch (error) {
      if (preview.state !== "running") return;
      preview.state = "failed";
      preview.message = error instanceof Refusal ? error.message : "试算中断，请重试";
      log.warn({ error: String(error) }, "a preview of prices was interrupted");
    }
  }

  function find(name: string): Preview {
    const found = kept.get(name);
    if (found === undefined) throw new Refusal("not-found", "试算不存在，可能已过期");
    return found;
  }

  function isBusy(): boolean {
    return [...kept.values()].filter(({ state }) => state === "running").length >= runningMax;
  }

  return {
    async begin(tried, days, by) {
      if (isBusy()) throw new Refusal("limit-reached", "正在进行的试算过多，请稍后再试");
      const nowMs = now();
      const span = previewSpan(days, nowMs);
      const name = random.text(nameLength);
      const { plan, about } = await store.beginPreview({ name, tried, by, nowMs, ...span });
      if (isBusy()) throw new Refusal("limit-reached", "正在进行的试算过多，请稍后再试");
      const preview: Preview = {
        id: name,
        state: "running",
        message: "",
        days,
        ...span,
        version: plan.version,
        done: 0,
        about,
        result: null,
      };
      for (const [old, { state }] of kept) {
        if (kept.size < keptMax) break;
        if (state !== "running") kept.delete(old);
      }
      kept.set(name, preview);
      void run(preview, plan);
      return { ...preview };
    },
    read: (name) => ({ ...find(name) }),
    remove(name) {
      find(name).state = "cancelled";
      kept.delete(name);
    },
  };
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
): Promise<PreviewResult | null> {
  const totals = openTotals();
  let place: Awaited<ReturnType<PreviewStore["previewStep"]>>["next"] = null;
  do {
    const step: Awaited<ReturnType<PreviewStore["previewStep"]>> = await store.previewStep(
      plan,
      place,
    );
    if (progress.state !== "running") return null;
    totals.add(step);
    progress.done += step.rows;
    place = step.next;
    if (place !== null) await Bun.sleep(pauseMs);
  } while (place !== null);
  const names = await store.readUserNames(totals.userIds());
  return totals.result(new Map(names));
}
