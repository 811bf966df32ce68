/**
 * Past calls that were really made: the built product relays them to the demo upstream, whose usage
 * differs by model and changes all the time.
 */

import { startDemo } from "@tollgate/server/test/proof/demo-process.ts";
import { addChannel, addToken, addUser, signIn } from "@tollgate/server/test/console.ts";
import { type Home, startGateway } from "@tollgate/server/test/gateway.ts";
import { seededRandom } from "@tollgate/server/src/base/testing/random.ts";
import { proofOf, requestOf } from "#bench/cases.ts";
import { openGenerator } from "#bench/load/open-generator.ts";

/** How many calls are made before the demo upstream reports other counts. */
const roundCalls = 10_000;
const connections = 32;
/** No calls use up this balance. */
const plenty = 10 ** 13;

const question = "How does a gateway that bills charge a call whose prompt was read from a cache? ";

type Wanted = {
  /** How many calls to make. */
  readonly calls: number;
  readonly users: number;
  readonly models: number;
  /** No round begins after so many milliseconds. */
  readonly maxMs: number;
};

/** Makes calls with a product that is started for it. @returns how many were made. */
export async function makeRealCalls(home: Home, wanted: Wanted): Promise<number> {
  const began = performance.now();
  const demo = await startDemo();
  const gateway = await startGateway(home);
  const generator = openGenerator();
  const random = seededRandom(Date.now());
  let made = 0;
  try {
    const root = await signIn(gateway.origin);
    await root.call("PUT", "/api/option/", { key: "ConsoleRequestsPerMinute", value: "0" });
    const { list } = await root.call<{ list: { ModelRatio: object } }>("GET", "/api/prices/");
    const models = Object.keys(list.ModelRatio).slice(0, wanted.models);
    await addChannel(root, { base_url: demo.url, models: models.join(",") });
    const requests: string[] = [];
    for (let user = 0; user < wanted.users; user += 1) {
      const { key } = await addToken(await addUser(root, gateway.origin, plenty));
      requests.push(...models.map((model) => requestOf(bodyOf(model), key)));
    }
    while (made < wanted.calls && performance.now() - began < wanted.maxMs) {
      for (const model of models) {
        const promptTokens = random.between(10, 90);
        const cachedTokens = random.chance(0.3) ? random.below(promptTokens) : 0;
        await demo.script(model, { promptTokens, cachedTokens, events: random.between(1, 60) });
      }
      const [request = "", ...others] = requests;
      const { calls, failed, reason } = await generator.run({
        port: Number(new URL(gateway.origin).port),
        request,
        others,
        connections,
        durationMs: 120_000,
        callsMax: Math.min(roundCalls, wanted.calls - made),
        callsPerSecond: 0,
        mustContain: proofOf({ stream: false }),
      });
      if (failed > 0) throw new Error(`${failed} calls failed: ${reason}`);
      made += calls;
    }
  } finally {
    await generator.stop();
    await gateway.stop("SIGINT");
    await demo.stop();
  }
  return made;
}

function bodyOf(model: string): string {
  const messages = [{ role: "user", content: question.repeat(3) }];
  return JSON.stringify({ model, max_tokens: 100, messages });
}
