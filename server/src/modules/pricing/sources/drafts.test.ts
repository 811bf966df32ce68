import { describe, expect, test } from "bun:test";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import * as contract from "@tollgate/contract/endpoints/price-sources.ts";
import { readBook, sourceOf } from "@tollgate/contract/money/price-book.ts";
import type { Dialect } from "#db/dialect.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import type { Caller } from "#http/handler.ts";
import { changePrices, findPrices, installPrices, parsePrices } from "#modules/pricing/pricing.ts";
import { priceSourceHandlers } from "#modules/pricing/price-sources.handlers.ts";
import { pricingStore } from "#modules/pricing/pricing.store.ts";
import type { Transport } from "#network/transport.ts";
import { syncDue } from "./sync-source.ts";

const root: Caller = {
  userId: 1,
  role: 100,
  username: "root",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};
const hourMs = 3_600_000;

/** A list as LiteLLM writes it, of dollars per million tokens of input and output. */
function listOf(prices: Readonly<Record<string, readonly [input: number, output: number]>>) {
  const rows = Object.entries(prices).map(([model, [input, output]]) => [
    model,
    {
      input_cost_per_token: input / 1e6,
      output_cost_per_token: output / 1e6,
      litellm_provider: "openai",
    },
  ]);
  return JSON.stringify(Object.fromEntries(rows));
}

async function open(dialect: Dialect) {
  const { db, close } = await openTestDatabase(dialect);
  await installPrices(db, 5_000);
  const web = { text: "", status: 200 };
  const clock = { nowMs: 1_800_000_000_000 };
  const told: object[] = [];
  // Stands in for the network: every address answers with the list.
  const transport: Transport = async () => ({
    kind: "answer",
    status: web.status,
    mediaType: "application/json",
    retryAfter: null,
    read: async () => null,
    flowTo: () => {},
    readAll: () => new TextEncoder().encode(web.text),
    cancel: () => {},
  });
  const deps = {
    store: bindStore(pricingStore, db),
    transport,
    catalogueFile: "",
    applyChanges: async () => {},
    now: () => clock.nowMs,
  };
  const handlers = priceSourceHandlers(deps);
  const ask = async (endpoint: Endpoint, input: object): Promise<unknown> =>
    await handlers.find((handler) => handler.endpoint === endpoint)?.run(input, root);
  const addSource = async (rules: object, more: object = {}) => {
    const sent = { name: "public list", kind: "litellm", url: "https://example.com/list", rules };
    const made = await ask(contract.createPriceSource, { ...sent, ...more });
    return contract.createPriceSource.output.parse(made).id;
  };
  const list = async () => {
    const row = await findPrices(db);
    const prices = row === undefined ? undefined : parsePrices(row);
    if (prices === undefined) throw new Error("no prices");
    return prices.list;
  };
  return {
    db,
    close,
    web,
    clock,
    told,
    ask,
    addSource,
    list,
    bookOf: async (model: string) => readBook(await list(), model),
    sync: async (id: number, text = "") =>
      readDraft(await ask(contract.syncPriceSource, { id, text })),
    decide: async (id: number, accept: number[], refuse: number[] = []) =>
      readDraft(await ask(contract.decidePriceDraft, { id, accept, refuse })),
    sources: async () =>
      contract.listPriceSources.output.parse(await ask(contract.listPriceSources, {})),
    due: async () =>
      await syncDue({
        ...deps,
        notices: { pricesWait: async (wait) => void told.push(wait) },
        log: { warn: () => {} },
      }),
  };
}

const byHand = {};
const readDraft = (sent: unknown) => contract.readPriceDraft.output.parse(sent);
const linesOf = ({ lines }: contract.PriceDraft) =>
  lines.map(({ model, field, now, proposed, change, waits, state }) => ({
    what: `${model} ${field} ${now} → ${proposed}`,
    change,
    waits: waits.join(),
    state,
  }));

describe.each(testDialects)("%s", (dialect) => {
  test("a sync says now, proposed, source, date and change, and saves nothing", async () => {
    const { close, addSource, sync, web, bookOf } = await open(dialect);
    const before = await bookOf("gpt-4o");
    const id = await addSource({ raise_max: 5 });
    web.text = listOf({ "gpt-4o": [2.75, 9], "a-model-nobody-has": [1, 1] });
    const draft = await sync(id);

    expect(linesOf(draft)).toEqual([
      { what: "gpt-4o input 2.5 → 2.75", change: 10, waits: "raise", state: "open" },
      { what: "gpt-4o output 10 → 9", change: -10, waits: "", state: "open" },
    ]);
    expect(draft.lines[0]).toMatchObject({ entry: "gpt-4o", vendor: "openai", date: "2027-01-15" });
    expect(await bookOf("gpt-4o")).toEqual(before);
    await close();
  });

  test("what is accepted becomes one version, what is refused is not proposed again", async () => {
    const { db, close, addSource, sync, decide, web, bookOf, list } = await open(dialect);
    const id = await addSource(byHand);
    web.text = listOf({ "gpt-4o": [2.75, 9], "gpt-4o-mini": [0.2, 0.6] });
    const { id: draft, lines } = await sync(id);
    const at = (model: string, field: string) =>
      lines.filter((of) => of.model === model && of.field === field).map(({ line }) => line);
    const decided = await decide(draft, at("gpt-4o", "output"), at("gpt-4o-mini", "input"));

    expect(decided).toMatchObject({ accepted: 1, refused: 1, waiting: 1, state: "open" });
    expect((await bookOf("gpt-4o"))?.tokens).toMatchObject({ input: "2.5", output: "9" });
    expect((await bookOf("gpt-4o-mini"))?.tokens).toMatchObject({ input: "0.15" });
    expect(sourceOf(await list(), "gpt-4o")).toMatchObject({
      from: "sync",
      provider: "openai",
      entry: "gpt-4o",
      by: 1,
    });
    const versions = await db
      .selectFrom("price_versions")
      .select(["created_by", "reason"])
      .execute();
    expect(versions.at(-1)).toEqual({ created_by: 1, reason: "public list" });
    expect(versions).toHaveLength(2);
    const again = await sync(id);
    const [wait, ...others] = again.lines.filter(({ state }) => state === "open");
    expect(wait).toMatchObject({ model: "gpt-4o", field: "input" });
    expect(others).toEqual([]);
    const actions = await db.selectFrom("audit_log").select("action").execute();
    expect(new Set(actions.map(({ action }) => action))).toEqual(
      new Set(["price-source.create", "price-source.sync", "price-draft.decide", "price.update"]),
    );
    await close();
  });

  test("a price that changed meanwhile is not overwritten, and the line says so", async () => {
    const { db, close, addSource, sync, decide, web, bookOf } = await open(dialect);
    const id = await addSource(byHand);
    web.text = listOf({ "gpt-4o": [2.75, 10] });
    const { id: draft, lines } = await sync(id);
    const parts = { ModelRatio: { "gpt-4o": "2" }, CompletionRatio: { "gpt-4o": "4" } };
    await db
      .transaction()
      .execute(async (tx) => await changePrices(tx, { parts, createdBy: 1, nowMs: 6_000 }));
    const decided = await decide(
      draft,
      lines.map(({ line }) => line),
    );

    expect(decided.lines[0]).toMatchObject({ state: "open", message: expect.stringMatching(/./) });
    expect((await bookOf("gpt-4o"))?.tokens).toMatchObject({ input: "4" });
    await close();
  });

  test("a schedule saves what the rules allow; the rest waits, and root is told once", async () => {
    const { close, addSource, due, web, clock, told, bookOf, sources } = await open(dialect);
    await addSource({ raise_max: 5 }, { every_hours: 6 });
    web.text = listOf({ "gpt-4o": [2.6, 5], "gpt-4o-mini": [0.3, 0.6] });
    await due();
    expect((await bookOf("gpt-4o"))?.tokens).toMatchObject({ input: "2.5", output: "10" });
    clock.nowMs += 6 * hourMs;
    await Promise.all([due(), due()]);

    expect((await bookOf("gpt-4o"))?.tokens).toMatchObject({ input: "2.6", output: "5" });
    expect((await bookOf("gpt-4o-mini"))?.tokens).toMatchObject({ input: "0.15" });
    const [source] = await sources();
    expect(source?.draft).toMatchObject({ waiting: 1, applied: 2 });
    expect(told).toEqual([{ sourceId: source?.id, name: "public list", waiting: 1, accepted: 2 }]);
    clock.nowMs += 6 * hourMs;
    await due();
    expect(told).toHaveLength(1);
    expect(source?.next_at).toBe(clock.nowMs / 1_000);
    await close();
  });

  test("a schedule never touches hand-set prices, kinds, falls, and models without a price", async () => {
    const { db, close, addSource, due, web, clock, list, sources } = await open(dialect);
    await addSource({ raise_max: null }, { every_hours: 1 });
    const set = { ModelRatio: { ...(await list()).ModelRatio, "gpt-4o": "5" } };
    const prices = { ...set, ModelPrice: { ...(await list()).ModelPrice, "gpt-call": "0.1" } };
    await db.transaction().execute(async (tx) => {
      await changePrices(tx, { parts: prices, createdBy: 1, nowMs: 6_000 });
    });
    const before = await list();
    web.text = listOf({ "gpt-4o": [1, 1], "gpt-call": [1, 1], "gpt-4o-mini": [0, 0] });
    clock.nowMs += hourMs;
    await due();

    expect(await list()).toEqual(before);
    expect((await sources())[0]?.draft?.waiting).toBeGreaterThan(3);
    await close();
  });

  test("a list that cannot be read changes nothing and says why", async () => {
    const { close, addSource, due, ask, web, clock, list, sources } = await open(dialect);
    const id = await addSource({}, { every_hours: 1 });
    const before = await list();
    web.text = "<html>Sign in</html>";
    await expect(ask(contract.syncPriceSource, { id })).rejects.toThrow("不是该来源的价格列表");
    expect((await sources())[0]?.error).toContain("不是该来源的价格列表");
    web.status = 503;
    clock.nowMs += hourMs;
    await due();

    expect((await sources())[0]).toMatchObject({
      error: expect.stringContaining("503"),
      draft: null,
    });
    expect(await list()).toEqual(before);
    await close();
  });

  test("only the vendors of the rule, and times the factor", async () => {
    const { close, addSource, sync, web } = await open(dialect);
    const openai = await addSource({ vendors: ["openai"], factor: "1.1" });
    const azure = await addSource({ vendors: ["azure"] });
    web.text = listOf({ "gpt-4o": [2.5, 10] });

    expect(linesOf(await sync(openai)).map(({ what }) => what)).toContain(
      "gpt-4o input 2.5 → 2.75",
    );
    expect((await sync(azure)).lines).toEqual([]);
    await close();
  });

  test("the catalogue in use is a source without an address", async () => {
    const { close, addSource, sync } = await open(dialect);
    const id = await addSource({}, { kind: "catalogue", url: "" });
    const draft = await sync(id);

    expect(draft.compared).toBeGreaterThan(5);
    await close();
  });
});
