/**
 * Measures what asynchronous tasks cost others. `bun bench/tasks.ts --watch 45` prints one JSON
 * object:
 *
 * - how much longer the calls of a user take while another user asks for a task as fast as a
 *   generator can, in pairs side by side;
 * - how much more memory the product uses while very many tasks are open and due, watched for so
 *   many seconds.
 */

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { addChannel, addToken, addUser } from "@tollgate/server/test/console.ts";
import { startDemo } from "@tollgate/server/test/proof/demo-process.ts";
import { proofOf, requestOf, scripts, smallBody } from "#bench/cases.ts";
import type { LoadJob } from "#bench/load/load-job.ts";
import { openGenerator } from "#bench/load/open-generator.ts";
import { rssMiBOf } from "#bench/processes.ts";
import { removeLeftovers, startProduct, stopProduct } from "#bench/product.ts";
import { median } from "#bench/statistics.ts";

const { values } = parseArgs({ options: { watch: { type: "string", default: "45" } } });

const pairs = 7;
const sampleMs = 5_000;
/** Calls of the others, far below what the machine can carry. */
const callsPerSecond = 100;
const floodConnections = 64;
const warmUpCalls = 20_000;
const openTasks = 100_000;
/** How long the polls of the open tasks are watched: 500 a second. */
const watchMs = Number(values.watch) * 1_000;
const quota = 10 ** 10;

removeLeftovers();
const demo = await startDemo();
for (const [model, script] of Object.entries(scripts)) await demo.script(model, script);
const product = await startProduct(demo.url);
const caller = openGenerator();
const flooder = openGenerator();
const channelId = await addChannel(product.root, {
  base_url: demo.url,
  models: "mj_imagine,suno_music",
  type: 2,
});
const client = await addUser(product.root, product.gateway.origin, quota);
const { key } = await addToken(client);

const whole: Omit<LoadJob, "port" | "request"> = {
  connections: 64,
  durationMs: sampleMs,
  callsMax: 0,
  callsPerSecond: 0,
  mustContain: "",
};
const others = { port: product.port, request: requestOf(smallBody, product.spender.key) };
const flood = {
  port: product.port,
  request: `GET /mj/task/${await beginTask()}/fetch HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n\r\n`,
};

async function beginTask(): Promise<string> {
  const answer = await fetch(`${product.gateway.origin}/mj/submit/imagine`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ prompt: "quick cat" }),
  });
  // Safe cast: the contract of this call.
  return ((await answer.json()) as { readonly result: string }).result;
}

async function callsMs(): Promise<readonly number[]> {
  const load = { ...whole, ...others, callsPerSecond, mustContain: proofOf({ stream: false }) };
  const { allMs, failed, reason } = await caller.run({ ...load, connections: 8, keepsAll: true });
  if (failed > 0) throw new Error(`${failed} calls failed: ${reason}`);
  return allMs;
}

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;

await caller.run({ ...whole, ...others, callsMax: warmUpCalls, durationMs: 60_000 });
const alone: number[] = [];
const beside: number[] = [];
const ratios: number[] = [];
let answered = 0;
let refused = 0;
for (let pair = 0; pair < pairs; pair += 1) {
  const quiet = await callsMs();
  const flooding = flooder.run({
    ...whole,
    ...flood,
    connections: floodConnections,
    durationMs: sampleMs + 1_000,
    mayShed: true,
  });
  await Bun.sleep(500);
  const busy = await callsMs();
  const { calls, shed } = await flooding;
  answered += calls;
  refused += shed;
  alone.push(...quiet);
  beside.push(...busy);
  ratios.push(p99(busy) / p99(quiet));
}

const rssMiB = (): number => rssMiBOf([product.gateway.pid]);
const before = rssMiB();
if (watchMs > 0) addOpenTasks();
const samples: number[] = [];
for (let ms = 0; ms < watchMs; ms += 250) {
  await Bun.sleep(250);
  samples.push(rssMiB());
}

/** Adds tasks that their upstream has accepted, all of them due. */
function addOpenTasks(): void {
  const db = new Database(join(product.home.dataDir, "tollgate.db"));
  db.run("pragma busy_timeout = 60000");
  const columns = db.query("pragma table_info(tasks)").all() as { name: string; type: string }[];
  const given: Record<string, string> = {
    task_id: "'Topen' || n",
    upstream_id: "'up' || n",
    platform: "'midjourney'",
    action: "'IMAGINE'",
    status: "'IN_PROGRESS'",
    data: "'{}'",
    prompt: "'a cat in the rain, seen from the window of a train'",
    channel_id: String(channelId),
    due_at: "1",
    deadline_at: String(Date.now() + 3_600_000),
    submit_time: String(Date.now() - 600_000),
  };
  const names = columns.filter(({ name }) => name !== "id");
  const values = names.map(({ name, type }) => given[name] ?? (/int/i.test(type) ? "0" : "''"));
  db.run(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${openTasks})
     insert into tasks (${names.map(({ name }) => `"${name}"`).join(", ")})
     select ${values.join(", ")} from numbers`,
  );
  db.close();
}

const told = {
  calls: {
    p99Ms: { alone: p99(alone), beside: p99(beside) },
    ratio: { measured: p99(beside) / p99(alone), pairs: median(ratios), most: 1.5 },
    fetches: { answered, refused, seconds: (pairs * (sampleMs + 1_000)) / 1_000 },
  },
  memory: {
    openTasks,
    beforeMiB: before,
    medianMiB: median(samples),
    mostMiB: Math.max(...samples),
    moreMiB: median(samples) - before,
    limitMiB: 20,
  },
};
process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
await Promise.all([caller.stop(), flooder.stop(), demo.stop()]);
await stopProduct(product);
process.exit(0);
