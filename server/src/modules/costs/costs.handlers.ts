import type { PriceList } from "@tollgate/contract/money/charge.ts";
import * as contract from "@tollgate/contract/endpoints/costs.ts";
import { readPageWindow } from "@tollgate/contract/endpoints/page.ts";
import { readBook } from "@tollgate/contract/money/price-book.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { costStore, NamedVersion } from "./costs.store.ts";
import { parseCosts } from "./costs.ts";
import { dayOf, findListed, notListed, type ReadCatalogue } from "./listed-costs.ts";

type CostDeps = {
  readonly store: RemoteStore<typeof costStore>;
  readonly catalogue: ReadCatalogue;
  /** The price list in force. */
  readonly prices: () => PriceList;
  /** Resolves once this node uses every configuration change that was written before the call. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Handles root's requests for what channels charge. */
export function costHandlers({ store, catalogue, prices, applyChanges, now }: CostDeps): Handler[] {
  const read = async (id: number): Promise<contract.ChannelCosts> => {
    const found = await store.readCosts(id);
    if (found === null) throw missing();
    const { channel, version } = found;
    const content = version === null ? undefined : parseCosts(version);
    const listed = channel.models.split(",").filter((model) => model !== "");
    return {
      ...(version === null ? noVersion : factsOf(version)),
      ...saidIn(content),
      effective: listed.map((model) => {
        const prices = costOf(content, model);
        const isTyped = content !== undefined && Object.hasOwn(content.typed, model);
        return { model, prices, from: prices === null ? null : isTyped ? "typed" : "catalogue" };
      }),
    };
  };
  return [
    handle(contract.readChannelCosts, async ({ id }) => await read(id)),
    handle(contract.saveChannelCosts, async ({ id, ...sent }, caller) => {
      const typed = contract.readModelCosts(sent.models);
      if (!typed.ok) throw new Refusal("invalid-input", typed.message, { field: "models" });
      const factor = contract.readFactor(sent.factor);
      if (!factor.ok) throw new Refusal("invalid-input", factor.message, { field: "factor" });
      const found = await store.readCosts(id);
      if (found === null) throw missing();
      const nowMs = now();
      const listed =
        factor.value === null
          ? notListed
          : await findListed(catalogue, found.channel, dayOf(nowMs));
      const said = { factor: factor.value, typed: typed.value, ...listed };
      const quotaPerUnit = prices().QuotaPerUnit;
      await store.saveCosts({ channelId: id, said, quotaPerUnit, actor: actorOf(caller), nowMs });
      await applyChanges();
      return await read(id);
    }),
    handle(contract.listCostVersions, async ({ id, ...sent }) => {
      const window = readPageWindow(sent);
      const { items, total } = await store.pageVersions(id, window);
      const shown = items.map((row) => ({ ...factsOf(row), ...saidIn(parseCosts(row)) }));
      return { items: shown, total, ...window };
    }),
  ];
}

const missing = (): Refusal => new Refusal("not-found", "渠道未找到，请刷新页面后重试。");

/** What is said of a channel in a version. */
function saidIn(content: contract.CostContent | undefined) {
  const { factor = null, catalogue = "", typed = {} } = content ?? {};
  return { factor: factor ?? "", catalogue, models: typed };
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
