import type { PriceList } from "@tollgate/contract/charge.ts";
import * as contract from "@tollgate/contract/costs.ts";
import { readPageWindow } from "@tollgate/contract/page.ts";
import { readBook } from "@tollgate/contract/price-book.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { costStore, NamedVersion } from "./costs.store.ts";
import { parseCosts } from "./costs.ts";

type CostDeps = {
  readonly store: RemoteStore<typeof costStore>;
  /** The price list in force. */
  readonly prices: () => PriceList;
  /** Resolves once this node uses every configuration change that was written before the call. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Handles root's requests for what channels charge. */
export function costHandlers({ store, prices, applyChanges, now }: CostDeps): Handler[] {
  const read = async (id: number): Promise<contract.ChannelCosts> => {
    const found = await store.readCosts(id);
    if (found === null) throw new Refusal("not-found", "渠道未找到，请刷新页面后重试。");
    const { models, version } = found;
    const content = version === null ? undefined : parseCosts(version);
    const listed = models.split(",").filter((model) => model !== "");
    return {
      ...(version === null ? noVersion : factsOf(version)),
      models: content?.typed ?? {},
      effective: listed.map((model) => ({ model, prices: costOf(content, model) })),
    };
  };
  return [
    handle(contract.readChannelCosts, async ({ id }) => await read(id)),
    handle(contract.saveChannelCosts, async ({ id, models }, caller) => {
      const typed = contract.readModelCosts(models);
      if (!typed.ok) throw new Refusal("invalid-input", typed.message, { field: "models" });
      const quotaPerUnit = prices().QuotaPerUnit;
      const act = { actor: actorOf(caller), nowMs: now() };
      await store.saveCosts({ channelId: id, typed: typed.value, quotaPerUnit, ...act });
      await applyChanges();
      return await read(id);
    }),
    handle(contract.listCostVersions, async ({ id, ...sent }) => {
      const window = readPageWindow(sent);
      const { items, total } = await store.pageVersions(id, window);
      const shown = items.map((row) => ({ ...factsOf(row), models: parseCosts(row)?.typed ?? {} }));
      return { items: shown, total, ...window };
    }),
  ];
}

const noVersion = { version: 0, created_at: 0, created_by: 0, username: "" } as const;

function factsOf({ id, created_at, created_by, username }: NamedVersion): contract.CostVersion {
  return { version: id, created_at: unixSeconds(created_at), created_by, username };
}

/** Returns what a model costs in dollars; null: the list does not say. */
function costOf(
  content: contract.CostContent | undefined,
  model: string,
): contract.ModelCost | null {
  const prices = content === undefined ? undefined : readBook(content.list, model);
  if (prices === undefined || content === undefined) return null;
  const factors = content.list.TaskPriceFactors ?? {};
  const task = Object.hasOwn(factors, model) ? factors[model] : undefined;
  return task === undefined ? prices : { ...prices, task };
}
