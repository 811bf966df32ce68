/**
 * Kills the gateway with `kill -9` under load, again and again on the same data folder, and checks
 * everything from outside after each restart. A seed decides when it is killed.
 */

import { seededRandom } from "#base/testing/random.ts";
import type { Dialect } from "#db/dialect.ts";
import { runCommand } from "#test/gateway.ts";
import { addQuota, balanceOf, eventually, readLogs, readSelf, readTokens } from "./ledger.ts";
import { chat, isWhole } from "./chat-call.ts";
import { openCrashLedger, type CrashLedger } from "./crash-ledger.ts";
import {
  type CrashScene,
  fixedCharge,
  openCrashScene,
  poorCalls,
  wholeBalanceModel,
} from "./crash-scene.ts";
import { addModels } from "./installation.ts";
import { startLoad } from "./load.ts";
import { countUnapplied, readLeftovers } from "./database-after.ts";

type CrashPlan = {
  readonly dialect: Dialect;
  readonly kills: number;
  readonly seed: number;
  readonly print: (line: string) => void;
};

/**
 * The fewest calls that must be in flight at a kill. A round with fewer proves too little and is
 * repeated.
 */
const inFlightMin = 64;

const killAfterMsMin = 300;
const killAfterMsMax = 3_000;
/**
 * After every fifth kill the gateway is killed and started a second time, without calls. That must
 * change nothing.
 */
const deepEvery = 5;
/**
 * How many of the newest log rows are compared before and after a restart; a round adds a few
 * hundred rows.
 */
const comparedRowsMax = 1_000;
/** P-R1: within this time everything that a dead process held must be free again. */
const holdsResolvedMaxMs = 30_000;
/** How many rounds may have too few calls in flight before the machine counts as too slow. */
const repeatsMax = 20;

/**
 * Kills and restarts a gateway in rounds, as the plan says, and checks it after each.
 * @throws Error naming every violation, with the seed.
 */
export async function runCrashes(plan: CrashPlan): Promise<void> {
  const { dialect, kills, seed, print } = plan;
  const random = seededRandom(seed);
  const scene = await openCrashScene(dialect);
  const { installation, poor } = scene;
  const expected = openCrashLedger(scene);
  try {
    print(`${dialect}: ${kills} kills, seed ${seed}`);
    let lastServed = 0;
    let repeats = 0;
    const cut = { calls: 0, reached: 0 };
    for (let done = 0; done < kills;) {
      const missing = poorCalls * fixedCharge - expected.balance(poor.client.userId);
      await addQuota(installation.root, poor.client.userId, missing);
      expected.moved(poor.client.userId, missing);

      const killAfterMs = random.between(killAfterMsMin, killAfterMsMax);
      const { load, inFlight } = await killUnderLoad(scene, killAfterMs);
      const readyMs = await installation.start();
      const { calls: served } = await installation.demo.account(lastServed);
      lastServed = served.at(-1)?.id ?? lastServed;
      const verdict = await expected.judge(load, served);
      const poorServed = served.filter(({ marker }) => marker.startsWith("poor-")).length;
      const violations = [...verdict.violations];
      // I7: each call of the poor user holds exactly its charge until it ends, so the balance
      // limits how many calls reach the upstream.
      if (poorServed > poorCalls) violations.push(`I7 ${poorServed} calls for ${poorCalls}`);

      const { seen, unseen, interrupted, reached } = verdict;
      cut.calls += interrupted;
      cut.reached += reached;
      const facts = `${inFlight} in flight, ${seen} + ${unseen} settled, ${interrupted} interrupted`;
      const times = `killed at ${Math.round(killAfterMs)} ms, ready in ${readyMs} ms`;
      print(`${dialect} kill ${done + 1}: ${facts}, ${times}`);
      failOn(violations, plan, done + 1);
      if (inFlight < inFlightMin) {
        repeats += 1;
        if (repeats > repeatsMax) throw new Error("too few calls in flight: the machine is busy");
        continue;
      }
      done += 1;
      // On PostgreSQL a dead node's holds are released only when its heartbeat has expired, not
      // when the next process starts, so this is checked only after the last kill.
      if (dialect === "sqlite" || done === kills) await spendWholeBalance(scene, expected);
      const isDeep = dialect === "sqlite" && done % deepEvery === 0;
      if (isDeep || done === kills) failOn(await changedByRestart(scene), plan, done);
    }
    failOn(await judgeInterrupted(scene, cut), plan, kills);
    await finish(scene, plan);
  } finally {
    await installation.close();
  }
}

async function killUnderLoad(scene: CrashScene, killAfterMs: number) {
  const { installation, callers } = scene;
  const load = startLoad(installation.origin, callers);
  await Bun.sleep(killAfterMs);
  const inFlight = load.inFlight().filter(({ caller }) => caller.charge !== fixedCharge).length;
  const killed = installation.gateway().kill();
  await load.stop();
  await killed;
  return { load: load.calls, inFlight };
}

/**
 * Lets the poor user spend the last unit, which proves that every hold of the dead process is free
 * again.
 */
async function spendWholeBalance(scene: CrashScene, expected: CrashLedger): Promise<void> {
  const { installation, poor, poorSpender } = scene;
  const { userId } = poor.client;
  const fill = poorCalls * fixedCharge - expected.balance(userId);
  await addQuota(installation.root, userId, fill);
  expected.moved(userId, fill);
  const all = expected.balance(userId);
  const price = { name: wholeBalanceModel, script: { events: 3 }, perCall: all };
  await addModels(installation.root, installation.demo, [price]);
  await eventually(
    () =>
      chat(installation.origin, { key: poorSpender.key, model: wholeBalanceModel, stream: false }),
    (answer) => isWhole(answer, false),
    { what: "holds of a dead process are not free", maxMs: holdsResolvedMaxMs },
  );
  expected.charged(userId, poorSpender.tokenId, all);
  const left = await balanceOf(poor.client);
  if (left !== 0) throw new Error(`${left} units are left of a balance that was spent whole`);
}

/** Kills and restarts a gateway without calls. Returns what has changed; I8: nothing may change. */
async function changedByRestart(scene: CrashScene): Promise<string[]> {
  const before = await readAll(scene);
  await scene.installation.gateway().kill();
  await scene.installation.start();
  const after = await readAll(scene);
  return before.flatMap((text, index) =>
    text === after[index] ? [] : [`I8 a restart changed ${text} to ${after[index]}`],
  );
}

async function readAll({ installation, users }: CrashScene): Promise<string[]> {
  const texts: string[] = [];
  for (const { client } of users) {
    texts.push(JSON.stringify(await readSelf(client)));
    for (const token of (await readTokens(client)).values()) texts.push(JSON.stringify(token));
  }
  const rows = await readLogs(installation.root, { rowsMax: comparedRowsMax });
  texts.push(...rows.map((row) => JSON.stringify(row)));
  return texts;
}

/**
 * Checks that a call that a kill interrupts is logged as interrupted, and is free. The row of a
 * hold is written a moment after the call began, so the youngest calls may have none; neither do
 * calls that a busy machine had not read yet.
 */
async function judgeInterrupted(
  { installation }: CrashScene,
  { calls, reached }: { readonly calls: number; readonly reached: number },
): Promise<string[]> {
  const all = await readLogs(installation.root, { type: 5 });
  // Calls that were refused for want of quota have rows as well.
  const rows = all.filter(({ content }) => content === "网关中断，未扣费");
  const violations = all
    .filter(({ quota }) => quota !== 0)
    .map((row) => `row ${row.id} of an interrupted call is charged ${row.quota}`);
  if (rows.length > calls || rows.length < reached * 0.8 || reached === 0) {
    violations.push(
      `${rows.length} rows of ${calls} interrupted calls, ${reached} of them upstream`,
    );
  }
  return violations;
}

async function finish({ installation }: CrashScene, plan: CrashPlan): Promise<void> {
  const code = await installation.gateway().stop("SIGINT");
  const violations = code === 0 ? [] : [`SIGINT ended with ${code}`];
  violations.push(...(await readLeftovers(installation.home)));
  const unapplied = await countUnapplied(installation.home);
  if (unapplied > 0) violations.push(`a clean stop left ${unapplied} records in the journal`);
  const audit = await runCommand(installation.home, ["audit"]);
  plan.print(audit.output.trim());
  if (audit.code !== 0) violations.push(`audit ended with ${audit.code}: ${audit.output}`);
  failOn(violations, plan, plan.kills);
}

function failOn(violations: readonly string[], { dialect, seed }: CrashPlan, kill: number): void {
  if (violations.length === 0) return;
  const lines = violations.slice(0, 20).join("\n");
  throw new Error(
    `${violations.length} violations, ${dialect} seed ${seed} kill ${kill}:\n${lines}`,
  );
}
