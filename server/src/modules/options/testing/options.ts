import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import * as contract from "@tollgate/contract/options/options.ts";
import { openSecrets } from "#base/secrets.ts";
import { bindStore } from "#db/store.ts";
import { Refusal } from "#base/refusal.ts";
import { openTestDatabase } from "#db/testing/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { type Caller, isReplyValue } from "#http/handler.ts";
import { findPrices, installPrices, parsePrices } from "#modules/pricing/pricing.ts";
import { optionHandlers } from "#modules/options/options.handlers.ts";
import { optionStore } from "#modules/options/options.store.ts";
import { openOptions } from "#modules/options/options.ts";

const caller: Caller = {
  userId: 1,
  role: 100,
  username: "root",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};

/**
 * The value that the simulated test of a new option value refuses, unless the request sends
 * `probeToken`.
 */
export const refusedProbe = "refused when tried out";
export const probeToken = "passed";

export const testSecrets = openSecrets("0123456789abcdef0123456789abcdef");

/**
 * Opens the handlers of options over a new installation. The returned object also shows which
 * values are in effect.
 */
export async function openGateway(dialect: Dialect) {
  const { db, close } = await openTestDatabase(dialect);
  const store = bindStore(optionStore, db);
  const reports: string[] = [];
  /** Whether root has a second factor, which tests may change. */
  const root = { hasSecondFactor: true };
  const options = openOptions(testSecrets, (key) => void reports.push(key));
  let list: PriceList = defaultPriceList;
  const reload = async () => {
    options.refresh(await store.loadOptions());
    const row = await findPrices(db);
    list = (row === undefined ? undefined : parsePrices(row)?.list) ?? list;
  };
  // The second call must do nothing, because the first one has created a price version.
  await installPrices(db, 1_000);
  await installPrices(db, 2_000);
  const handlers = optionHandlers({
    options,
    prices: () => list,
    store,
    secrets: testSecrets,
    probe: async ({ key, value, turnstileToken }) => {
      if (value !== refusedProbe || turnstileToken === probeToken) return;
      throw new Refusal("invalid-input", key);
    },
    hasSecondFactor: async () => root.hasSecondFactor,
    applyChanges: reload,
    now: () => 5_000,
  });
  const call = async (endpoint: Endpoint, input: object): Promise<unknown> =>
    await handlers.find((handler) => handler.endpoint === endpoint)?.run(input, caller);
  const save = async (key: string, value: string | number | boolean, token?: string) =>
    await call(
      contract.updateOption,
      contract.updateOption.input.parse({ key, value, turnstile_token: token }),
    );
  const answerOfList = async () => {
    const answer = await call(contract.listOptions, {});
    if (!isReplyValue(answer)) throw new Error("the list has no extras");
    return answer;
  };
  const listed = async () => {
    const rows = contract.listOptions.output.parse((await answerOfList()).data);
    return new Map(rows.map(({ key, value }) => [key, value]));
  };
  const secretsSet = async () =>
    contract.listOptions.extras?.parse((await answerOfList()).extras)?.secrets_set;
  const clear = async (key: string) =>
    await call(
      contract.updateOption,
      contract.updateOption.input.parse({ key, value: "", clear: true }),
    );
  return {
    clear,
    secretsSet,
    db,
    close,
    call,
    save,
    listed,
    options,
    root,
    reload,
    reports,
    prices: () => list,
  };
}
