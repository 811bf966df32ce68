import { hasPrice, unitPrice } from "@tollgate/contract/money/charge.ts";
import * as contract from "@tollgate/contract/endpoints/models.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle } from "#http/handler.ts";
import { groupsOpenTo, type OfferSources, visitorGroup } from "#modules/groups/groups.ts";
import { listProviders } from "#providers/registry.ts";
import type { modelStore } from "./models.store.ts";

type ModelDeps = OfferSources & {
  readonly store: RemoteStore<typeof modelStore>;
};

/** The creation time that one-api lists for every model, in Unix seconds. */
const listedCreated = 1_626_777_600;

/** Handles the requests of the console API that list models. */
export function modelHandlers(deps: ModelDeps): Handler[] {
  const all = listProviders();
  return [
    handle(contract.listModelsByType, async () =>
      Object.fromEntries(
        all
          .filter(({ defaultModels }) => defaultModels.length > 0)
          .map(({ type, defaultModels }) => [String(type), [...defaultModels]]),
      ),
    ),

    handle(contract.listOwnModels, async ({ group }, { userId }) => {
      const list = deps.prices();
      const ratios = list.GroupRatio;
      const own = deps.groupOf(userId) ?? visitorGroup;
      const open = groupsOpenTo({ usable: deps.usableGroups(), ratios, own });
      const asked = [...open.keys()].filter((name) => group === "" || name === group);
      // Calls of a model without a price are refused, so such a model is not listed.
      return sorted(
        asked.flatMap((name) =>
          deps.modelsOf(name).filter((model) => unitPrice(list, model, name) !== undefined),
        ),
      );
    }),

    handle(contract.listKnownModels, async () => {
      const owners = new Map<string, string>();
      for (const { label, defaultModels } of all) {
        for (const model of defaultModels) if (!owners.has(model)) owners.set(model, label);
      }
      return sorted(owners.keys()).map((id) => ({
        id,
        object: "model" as const,
        created: listedCreated,
        owned_by: owners.get(id) ?? "",
      }));
    }),

    handle(contract.listModelNames, async () => sorted(await deps.store.listModelNames(false))),
    handle(contract.listEnabledModels, async () => sorted(await deps.store.listModelNames(true))),

    handle(contract.listUnpricedModels, async () => {
      const models = await deps.store.listModelNames(true);
      const list = deps.prices();
      return sorted(models.filter((model) => !hasPrice(list, model)));
    }),
  ];
}

/** Returns the names without duplicates, sorted by code units. */
function sorted(names: Iterable<string>): string[] {
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : Number(a > b)));
}
