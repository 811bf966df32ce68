/**
 * Measures the processor time of a preview of prices, a call: `bun bench/previews.ts [calls]
 * [dialect]` makes as many calls over 40 models in a database of its own, a million on SQLite by
 * default. PostgreSQL needs a server (`node scripts/postgres.mjs -- …`), whose time is not counted.
 */

import { charge, noUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { seededRandom } from "@tollgate/server/src/base/testing/random.ts";
import { openTestDatabase } from "@tollgate/server/src/db/testing/database.ts";
import { blankRow, insertCallLogs } from "@tollgate/server/src/modules/logs/logs.ts";
import {
  beginPreview,
  previewStep,
} from "@tollgate/server/src/modules/pricing/preview/preview.repo.ts";
import { installPrices } from "@tollgate/server/src/modules/pricing/pricing.ts";

const count = Number(process.argv[2] ?? 1_000_000);
const dialect = process.argv[3] === "postgres" ? "postgres" : "sqlite";
const chunk = 1_000;
const modelCount = 40;
const start = 1_763_700_000;
const end = start + 30 * 86_400;

const models = Object.keys(defaultPriceList.ModelRatio).slice(0, modelCount);
const random = seededRandom(1);
const { db, close } = await openTestDatabase(dialect);
await installPrices(db, 1);
for (let first = 0; first < count; first += chunk) {
  const rows = Array.from({ length: Math.min(chunk, count - first) }, (_, at) => {
    const model_name = random.pick(models);
    const usage = { ...noUsage, input: random.below(9_000), output: random.below(900) };
    const price = unitPrice(defaultPriceList, model_name, "default");
    return {
      ...blankRow,
      request_id: `call-${first + at}`,
      created_at: random.between(start, end - 1),
      type: 2,
      user_id: random.between(1, 200),
      model_name,
      group: "default",
      quota: price === undefined ? 0 : charge(price, usage),
      usage: JSON.stringify(usage),
      price_version: 1,
    };
  });
  await db.transaction().execute(async (tx) => await insertCallLogs(tx, rows));
}

const prices = { changes: { ModelRatio: { [models[0] ?? ""]: "9" } }, books: [], options: {} };
const tried = { kind: "changes", prices } as const;
const { plan } = await beginPreview(db, {
  name: "bench",
  tried,
  by: 1,
  nowMs: end * 1_000,
  start,
  end,
});
const before = process.cpuUsage();
let calls = 0;
let place: Awaited<ReturnType<typeof previewStep>>["next"] = null;
do {
  const step: Awaited<ReturnType<typeof previewStep>> = await previewStep(db, plan, place);
  calls += step.rows;
  place = step.next;
} while (place !== null);
const { user, system } = process.cpuUsage(before);
process.stdout.write(
  `${calls} calls, ${((user + system) / calls).toFixed(1)} µs of processor time each\n`,
);
await close();
