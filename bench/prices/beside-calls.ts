/**
 * Measures how a preview of prices slows down running calls: `bun bench/prices/beside-calls.ts
 * [pairs] [calls] [dialect] [work]` offers calls at a steady rate, in turn alone and beside a preview
 * over as many past calls, and compares their medians. With `rerate` as its last word it does so
 * beside a re-rate. It prints one JSON object on standard output. The target is at most 1.2 times.
 */

import { join } from "node:path";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { type DatabaseAddress, openDatabase } from "@tollgate/server/src/db/connection.ts";
import type { Rerate } from "@tollgate/contract/endpoints/rerates.ts";
import { setOption } from "@tollgate/server/test/proof/installation.ts";
import { startDemo } from "@tollgate/server/test/proof/demo-process.ts";
import { signIn } from "@tollgate/server/test/console.ts";
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
import { makePast, pastSeconds, pastStart } from "./past-calls.ts";

const [pairsText = "7", callsText = "200000", dialectText = "sqlite", workText = "preview"] =
  process.argv.slice(2);
const dialect = dialectText === "postgres" ? "postgres" : "sqlite";
const callsPerSecond = 200;
const roundMs = 5_000;
const ratioMax = 1.2;
const span = { start_timestamp: pastStart, end_timestamp: pastStart + pastSeconds };

removeLeftovers();
const demo = await startDemo();
for (const [model, script] of Object.entries(scripts)) await demo.script(model, script);
const started = await startProduct(demo.url, { dialect });
await stopProduct(started);
await fillPast(started);
const product = await restartProduct(started);
const root = await signIn(product.gateway.origin);
const generator = openGenerator();

async function fillPast({ home }: Product): Promise<void> {
  const url = home.env["DATABASE_URL"];
  const file = join(home.dataDir, "tollgate.db");
  const address: DatabaseAddress =
    url === undefined ? { dialect: "sqlite", file } : { dialect: "postgres", url };
  const { db, close } = openDatabase(address, "writer");
  const models = Object.keys(defaultPriceList.ModelRatio).slice(0, 40);
  await makePast(db, { calls: Number(callsText), users: 50, models });
  await close();
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

type Shown = { readonly id: string; readonly state: string; readonly done: number };
type Begun = { stop(): Promise<number> };

/** Previews until it is stopped. `stop` returns how many past calls were charged again. */
function previewing(): Begun {
  let isOn = true;
  const working = (async () => {
    let charged = 0;
    while (isOn) {
      const changes = { ModelRatio: { "gpt-4o": "9" } };
      let shown = await root.call<Shown>("POST", "/api/prices/previews", { changes, ...span });
      while (isOn && shown.state === "running") {
        await Bun.sleep(100);
        shown = await root.call<Shown>("GET", `/api/prices/previews/${shown.id}`);
      }
      if (shown.state === "failed") throw new Error(JSON.stringify(shown));
      charged += shown.done;
      await root.call("DELETE", `/api/prices/previews/${shown.id}`);
    }
    return charged;
  })();
  return {
    async stop() {
      isOn = false;
      return await working;
    },
  };
}

/**
 * Saves other prices, and charges past calls again until it is stopped. `stop` returns how many were
 * looked at.
 */
async function rerating(pair: number): Promise<Begun> {
  const ratio = pair % 2 === 0 ? "9" : "3";
  await root.call("PUT", "/api/prices/", { changes: { ModelRatio: { "gpt-4o": ratio } } });
  const { version } = await root.call<{ version: number }>("GET", "/api/prices/");
  // A preview that begins in the second in which the last re-rate ended would be refused.
  await Bun.sleep(1_100);
  let shown = await root.call<Shown>("POST", "/api/prices/previews", { version, ...span });
  while (shown.state === "running") {
    await Bun.sleep(100);
    shown = await root.call<Shown>("GET", `/api/prices/previews/${shown.id}`);
  }
  const wish = { preview: shown.id, reason: "bench", notice: "bench" };
  const { id } = await root.call<{ id: number }>("POST", "/api/prices/rerates", wish);
  return {
    async stop() {
      const { rerate } = await root.call<{ rerate: Rerate }>("GET", `/api/prices/rerates/${id}`);
      if (rerate.state !== "charging") throw new Error(`the re-rate is ${rerate.state}`);
      await root.call("POST", `/api/prices/rerates/${id}/stop`);
      for (;;) {
        const read = await root.call<{ rerate: Rerate }>("GET", `/api/prices/rerates/${id}`);
        if (read.rerate.state === "stopped") return rerate.done;
        await Bun.sleep(100);
      }
    },
  };
}

if (workText === "rerate") await setOption(root, "RootSecondFactorRequired", "false");
await offer();
const alone: number[] = [];
const beside: number[] = [];
const pairs: { alone: number; beside: number; ratio: number; charged: number }[] = [];
for (let pair = 0; pair < Number(pairsText); pair += 1) {
  const quiet = await offer();
  const work = workText === "rerate" ? await rerating(pair) : previewing();
  const busy = await offer();
  const charged = await work.stop();
  alone.push(...quiet);
  beside.push(...busy);
  const [one, other] = [latencyOf(quiet).p50Ms, latencyOf(busy).p50Ms];
  pairs.push({ alone: one, beside: other, ratio: other / one, charged });
}
await Promise.all([generator.stop(), demo.stop(), stopProduct(product)]);
await product.home.remove();
const [aloneMs, besideMs] = [latencyOf(alone).p50Ms, latencyOf(beside).p50Ms];
const ratio = besideMs / aloneMs;
const told = {
  dialect,
  work: workText,
  pairs,
  p50: { aloneMs, besideMs, ratio, met: ratio <= ratioMax },
};
process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
process.exit(0);
