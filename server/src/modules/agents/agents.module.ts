/** Agents (resellers): joining, the dividends of each day, withdrawals. */

import { defineModule, type Given } from "#modules/module.ts";
import { agentHandlers, usualRate } from "./agents.handlers.ts";
import type { AgentStore } from "./agents.store.ts";
import { openCloseDays } from "./close-days.ts";

const runNameLength = 16;

/** How often the days that are over are looked for. */
const lookMs = 60_000;

export const agentsModule = defineModule({
  needs: [],
  open(ports: Given<AgentStore>) {
    const { store, options, random, clock, snapshot, log } = ports;
    const closeDays = openCloseDays({
      store,
      enabled: () => options.read("AgentsEnabled"),
      rateBp: () => usualRate(options.read),
      newRun: () => random.text(runNameLength),
      now: clock.now,
    });
    const run = async () => {
      const done = await closeDays();
      if (done !== undefined && done.days > 0) log.info(done, "dividends of agents were computed");
    };
    return {
      handlers: agentHandlers({
        ...ports,
        closeDays,
        readOption: options.read,
        quotaPerUnit: () => snapshot.prices.list.QuotaPerUnit,
        now: clock.now,
      }),
      jobs: [{ name: "dividends", everyMs: lookMs, runs: "once-in-all-nodes", run }] as const,
    };
  },
});
