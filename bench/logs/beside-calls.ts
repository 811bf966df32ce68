/**
 * Measures what a person who looks at a long log costs the calls beside it, and what each answer
 * reads: `bun bench/logs/beside-calls.ts [pairs] [rows] [dialect]`. It offers calls at a steady rate,
 * in turn alone and beside somebody who opens one answer of the log after the other, a screen a
 * second. It prints one JSON object on standard output. The target is at most 1.1 times.
 */

import { openDatabase } from "@tollgate/server/src/db/connection.ts";
import {
  addLongLog,
  queriesOf,
  rowsRead,
} from "@tollgate/server/src/modules/logs/testing/long-log.ts";
import { logStore } from "@tollgate/server/src/modules/logs/logs.store.ts";
import { addressOf } from "@tollgate/server/test/proof/database-after.ts";
import { startDemo } from "@tollgate/server/test/proof/demo-process.ts";
import { proofOf, requestOf, scripts, smallBody } from "#bench/cases.ts";
import { openGenerator } from "#bench/load/open-generator.ts";
import {
  type Product,
  removeLeftovers,
  restartProduct,
  startProduct,
  stopProduct,
} from "#bench/product.ts";
import { latencyOf } from "#bench/statistics.ts";
import { vacuum } from "./tables.ts";

const [pairsText = "7", rowsText = "2000000", dialectText = "sqlite"] = process.argv.slice(2);
const dialect = dialectText === "postgres" ? "postgres" : "sqlite";
const rows = Number(rowsText);
const callsPerSecond = 200;
const roundMs = 4_000;
const ratioMax = 1.1;
/** A person opens no more than a screen a second: its list, and one answer above it. */
const pauseMs = 1_000;
const days = 30;
const now = Math.floor(Date.now() / 1_000);
const size = { rows, hours: days * 24, users: 2_000, models: 40, channels: 30, now };

removeLeftovers();
const demo = await startDemo();
for (const [model, script] of Object.entries(scripts)) await demo.script(model, script);
const started = await startProduct(demo.url, { dialect });
await stopProduct(started);
const fillStart = performance.now();
const reads = await fill(started);
const seedSeconds = Math.round((performance.now() - fillStart) / 1_000);
const product = await restartProduct(started);
const generator = openGenerator();

type Read = { readonly what: string; readonly ms: number; readonly rowsRead: number | null };

/** Fills the log, and counts what each answer reads of it. */
async function fill({ home }: Product): Promise<Read[]> {
  const address = addressOf(home);
  const opened = openDatabase(address, "writer");
  const { db } = opened;
  await addLongLog(db, size);
  if (address.dialect === "postgres") await vacuum(address.url);
  const filter = { userId: null, username: "", lookup: null, tokenName: "", tokenId: 0 };
  const more = { modelName: "", type: 0, end: 0, channel: 0, group: "", afterId: 0 };
  const rest = {
    requestId: "",
    usageSource: "",
    quotaMin: 0,
    ending: "",
    start: now - 29 * 86_400,
  };
  const all = { ...filter, ...more, ...rest };
  const tagged = { ...all, tag: "batch", modelName: "=model-3" };
  const { pageLogs, readChart, readFacet, readFailures } = logStore.reads;
  const window = { page: 1, page_size: 20 };
  const chart = { by: "model", measure: "quota", zone: "UTC", now } as const;
  const asked: Record<string, (on: typeof db) => Promise<unknown>> = {
    list: async (on) => await pageLogs(on, all, window, now),
    "list, one model": async (on) =>
      await pageLogs(on, { ...all, modelName: "=model-3" }, window, now),
    "list, failed calls": async (on) =>
      await pageLogs(on, { ...all, ending: "failed" }, window, now),
    "list, a frequent tag and a model": async (on) => await pageLogs(on, tagged, window, now),
    "chart by model": async (on) => await readChart(on, all, chart),
    "chart by reason": async (on) =>
      await readChart(on, all, { ...chart, by: "reason", measure: "failures" }),
    "chart of one user": async (on) =>
      await readChart(on, { ...all, username: "u", userId: 8 }, chart),
    "chart of a frequent tag": async (on) => await readChart(on, { ...all, tag: "batch" }, chart),
    "failed calls by reason": async (on) => await readFailures(on, all, now),
    models: async (on) => await readFacet(on, all, { facet: "model", prefix: "", now }),
    users: async (on) => await readFacet(on, all, { facet: "user", prefix: "", now }),
    tags: async (on) => await readFacet(on, all, { facet: "tag", prefix: "", now }),
  };
  const told: Read[] = [];
  for (const [what, run] of Object.entries(asked)) {
    await run(db);
    const from = performance.now();
    await run(db);
    const ms = Math.round(performance.now() - from);
    let read: number | null = null;
    if (address.dialect === "postgres") {
      read = 0;
      for (const query of await queriesOf(db, run)) read += await rowsRead(db, query);
    }
    told.push({ what, ms, rowsRead: read });
    process.stderr.write(`${JSON.stringify(told.at(-1))}\n`);
  }
  await opened.close();
  return told;
}

async function offer(): Promise<number[]> {
  const { allMs, failed, reason } = await generator.run({
    port: product.port,
    request: requestOf(smallBody, product.spender.key),
    connections: 32,
    durationMs: roundMs,
    callsMax: 0,
    callsPerSecond,
    mustContain: proofOf({ stream: false }),
    keepsAll: true,
  });
  if (failed > 0) throw new Error(`${failed} calls failed: ${reason}`);
  return [...allMs];
}

const since = `start_timestamp=${now - 29 * 86_400}`;
/** What each screen asks for: the list, its sums, and a chart or a filter that is opened. */
const screens: readonly (readonly string[])[] = [
  [`/api/log/?p=1&page_size=20&${since}`, `/api/log/chart?by=model&measure=quota&${since}`],
  [`/api/log/stat?${since}`, `/api/log/facet?facet=user&prefix=&${since}`],
  [`/api/log/chart?by=reason&measure=failures&${since}`, `/api/log/failures?${since}`],
  [
    `/api/log/?p=1&page_size=20&model_name=%3Dmodel-3&${since}`,
    `/api/log/facet?facet=tag&prefix=&${since}`,
  ],
  [
    `/api/log/?p=1&page_size=20&tag=batch&model_name=%3Dmodel-3&${since}`,
    `/api/log/chart?by=user&measure=quota&tag=rare&${since}`,
  ],
];
let opened = 0;

/** Opens screens until it is stopped. */
function looking() {
  let isOn = true;
  const working = (async () => {
    while (isOn) {
      const from = performance.now();
      for (const path of screens[opened % screens.length] ?? []) {
        const answer = await product.root.send("GET", path);
        if (!answer.success) throw new Error(`${path}: ${answer.message}`);
      }
      opened += 1;
      await Bun.sleep(Math.max(0, pauseMs - (performance.now() - from)));
    }
  })();
  return {
    async stop() {
      isOn = false;
      await working;
    },
  };
}

await offer();
const pairs: { alone: number; beside: number; ratio: number }[] = [];
for (let pair = 0; pair < Number(pairsText); pair += 1) {
  const first = pair % 2 === 0;
  const quiet = first ? await offer() : [];
  const work = looking();
  const busy = await offer();
  await work.stop();
  const alone = first ? quiet : await offer();
  const [one, other] = [latencyOf(alone).p50Ms, latencyOf(busy).p50Ms];
  pairs.push({ alone: one, beside: other, ratio: other / one });
}
await Promise.all([generator.stop(), demo.stop(), stopProduct(product)]);
await product.home.remove();
const ratios = pairs.map(({ ratio }) => ratio).toSorted((a, b) => a - b);
const ratio = ratios[Math.floor(ratios.length / 2)] ?? Number.NaN;
const told = {
  dialect,
  rows,
  seedSeconds,
  reads,
  pairs,
  screens: opened,
  p50: { ratio, met: ratio <= ratioMax },
};
process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
process.exit(0);
