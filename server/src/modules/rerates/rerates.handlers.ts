/** The console API of re-rates. */

import { readPageWindow } from "@tollgate/contract/endpoints/page.ts";
import type {
  PricePreview,
  PreviewResult,
  TriedPrices,
} from "@tollgate/contract/endpoints/price-previews.ts";
import * as contract from "@tollgate/contract/endpoints/rerates.ts";
import { Refusal } from "#base/refusal.ts";
import { type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { RerateStore } from "./rerates.store.ts";
import type { SeenPreview } from "./rerates.repo.ts";

/** Reads a preview and what it was made of; undefined: there is none. */
export type ReadPreview = (
  name: string,
  nowMs: number,
) => Promise<
  | {
      readonly preview: PricePreview;
      readonly plan: {
        readonly tried:
          | { readonly kind: "changes"; readonly prices: TriedPrices }
          | { readonly kind: "list" };
        readonly last: number;
        readonly nowMs: number;
      };
    }
  | undefined
>;

type RerateDeps = {
  readonly store: RerateStore;
  readonly readPreview: ReadPreview;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export function rerateHandlers(deps: RerateDeps): Handler[] {
  const { store, now } = deps;
  return [
    handle(contract.listRerates, async (input) => {
      const window = readPageWindow(input);
      return { ...window, ...(await store.pageRerates(window)) };
    }),

    handle(contract.readRerate, async ({ id }) => {
      const found = await store.readRerate(id);
      if (found === undefined) throw new Refusal("not-found", "重新计费不存在");
      return found;
    }),

    handle(contract.beginRerate, async ({ preview, ...wish }, caller) => {
      const { seen, result } = await findSeen(deps, preview);
      requireNotice(wish.notice, isRaising(result));
      const by = { actor: actorOf(caller), nowMs: now() };
      return { id: await store.beginRerate(seen, { ...wish, ...by }) };
    }),

    handle(contract.undoRerate, async ({ id, ...wish }, caller) => {
      const found = await store.readRerate(id);
      requireNotice(wish.notice, found !== undefined && found.rerate.lowered > 0);
      const by = { actor: actorOf(caller), nowMs: now() };
      return { id: await store.beginUndo(id, { ...wish, ...by }) };
    }),

    handle(contract.stopRerate, async ({ id }, caller) => {
      await store.stopRerate(id, actorOf(caller), now());
    }),
  ];
}

/** Finds the preview that root has seen: it must be over, and of a saved version as a whole. */
async function findSeen(
  { readPreview, now }: RerateDeps,
  name: string,
): Promise<{ readonly seen: SeenPreview; readonly result: PreviewResult }> {
  const found = await readPreview(name, now());
  if (found === undefined) throw new Refusal("not-found", "试算不存在，可能已过期");
  const { preview, plan } = found;
  const { result, start, end } = preview;
  const { tried, last, nowMs } = plan;
  if (result === null) throw new Refusal("not-allowed", "试算尚未完成");
  const version = tried.kind === "changes" ? tried.prices.version : undefined;
  if (version === undefined) {
    throw new Refusal("not-allowed", "请先保存价格，再按保存的版本试算");
  }
  const { calls, before, after } = result.totals;
  return { seen: { name, version, start, end, last, nowMs, calls, before, after }, result };
}

/** Whether a model's or a user's charges rise. */
function isRaising({ models, users, most }: PreviewResult): boolean {
  return most.length > 0 || [...models.items, ...users.items].some((row) => row.after > row.before);
}

function requireNotice(notice: string, isNeeded: boolean): void {
  if (isNeeded && notice === "") {
    throw new Refusal("invalid-input", "有扣费会上涨，请填写给用户的通知");
  }
}
