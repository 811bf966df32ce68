/** With `--demo`: the demo account, whose last calls visitors see on the home page. */

import { defineModule, type Given } from "#modules/module.ts";
import type { CallList } from "#modules/logs/logs.ts";
import { demoCallHandlers } from "./demo-calls.handlers.ts";
import type { DemoAccount, DemoCalls } from "./demo-calls.ts";

export const demoCallsModule = defineModule({
  needs: ["logs"],
  open({ program, clock, log, needs }: Given<unknown, { readonly logs: CallList }>) {
    let opened: DemoAccount | null = null;
    const face: DemoCalls = {
      open(account) {
        if (program.demo) opened = account;
      },
      account: () => opened,
    };
    const deps = { account: face.account, calls: needs.logs, nowMs: clock.elapsed, log };
    return { handlers: program.demo ? demoCallHandlers(deps) : [], face };
  },
});
