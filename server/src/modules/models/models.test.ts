import { describe, expect, test } from "bun:test";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import * as contract from "@tollgate/contract/endpoints/models.ts";
import type { Db } from "#db/database.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import type { Caller } from "#http/handler.ts";
import { modelHandlers } from "./models.handlers.ts";
import { modelStore } from "./models.store.ts";

const prices = { ...defaultPriceList, ModelRatio: { a: "1", b: "1", secret: "1" } };

const user: Caller = {
  userId: 7,
  role: 1,
  username: "alice",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};

for (const dialect of testDialects) {
  describe(`models on ${dialect}`, () => {
    test("O-239: model names of all or of enabled channels are unique and sorted", async () => {
      const { db, close } = await openTestDatabase(dialect);
      await addChannel(db, 1, "o3,gpt-4o");
      await addChannel(db, 2, "claude-3,gpt-4o");
      await addChannel(db, 3, "");
      const ask = openModels(db, {});

      expect(await ask(contract.listModelNames)).toEqual(["claude-3", "gpt-4o", "o3"]);
      expect(await ask(contract.listEnabledModels)).toEqual(["gpt-4o", "o3"]);
      await close();
    });

    test("A-414 O-241: a user gets the models of every group the user may use", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const ask = openModels(db, { default: ["b"], vip: ["a", "b"], staff: ["secret"] });

      expect(await ask(contract.listOwnModels)).toEqual(["a", "b"]);
      expect(await openModels(db, {})(contract.listOwnModels)).toEqual([]);
      expect(await ask(contract.listOwnModels, { group: "default" })).toEqual(["b"]);
      expect(await ask(contract.listOwnModels, { group: "staff" })).toEqual([]);
      await close();
    });

    test("models of enabled channels without a price are named, because their calls are refused", async () => {
      const { db, close } = await openTestDatabase(dialect);
      await addChannel(db, 1, "b,new,constructor");
      await addChannel(db, 2, "off and new");
      const ask = openModels(db, {});

      expect(await ask(contract.listUnpricedModels)).toEqual(["constructor", "new"]);
      await close();
    });

    test("a model without a price is not listed, because its calls are refused", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const ask = openModels(db, { default: ["b", "free of a price"], vip: ["toString"] });

      expect(await ask(contract.listOwnModels)).toEqual(["b"]);
      await close();
    });

    test("A-417 O-238: each channel type lists the model names its form suggests", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const ask = openModels(db, {});
      const byType = contract.listModelsByType.output.parse(await ask(contract.listModelsByType));
      const known = contract.listKnownModels.output.parse(await ask(contract.listKnownModels));

      expect(byType["1"]).toContain("gpt-4o");
      expect(known.map(({ id }) => id)).toEqual(
        [...new Set(Object.values(byType).flat())].toSorted(),
      );
      await close();
    });
  });
}

/**
 * Opens the handlers for a caller who may use the groups `default`, which is open to everybody, and
 * `vip`, the caller's own.
 */
function openModels(db: Db, models: Readonly<Record<string, readonly string[]>>) {
  const handlers = modelHandlers({
    store: bindStore(modelStore, db),
    prices: () => prices,
    usableGroups: () => ({ default: "默认分组" }),
    groupOf: () => "vip",
    modelsOf: (group) => models[group] ?? [],
  });
  return async (endpoint: Endpoint, input: object = {}): Promise<unknown> =>
    await handlers.find((handler) => handler.endpoint === endpoint)?.run(input, user);
}

async function addChannel(db: Db, status: number, models: string): Promise<void> {
  const texts = { name: "", base_url: "", other: "", group: "", model_mapping: "", test_model: "" };
  const json = { status_code_mapping: "", param_override: "", setting: "", other_info: "" };
  const numbers = { type: 1, priority: 0, weight: 0, auto_ban: 1, created_time: 0, test_time: 0 };
  const more = { response_time: 0, balance: 0, balance_updated_time: 0, openai_organization: "" };
  await db
    .insertInto("channels")
    .values({ ...texts, ...json, ...numbers, ...more, status, models })
    .execute();
}
