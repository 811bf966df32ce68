/**
 * With `--demo`: the demo account, whose last calls visitors see on the home page, and the tours on
 * which they look around.
 */

import { defineModule, type Given } from "#modules/module.ts";
import type { CallList } from "#modules/logs/logs.ts";
import type { Sessions } from "#modules/sessions/sessions.ts";
import { demoCallHandlers } from "./demo-calls.handlers.ts";
import type { DemoAccount, DemoCalls } from "./demo-calls.ts";

type Needs = { readonly logs: CallList; readonly sessions: Pick<Sessions, "startTour" | "tours"> };

export const demoCallsModule = defineModule({
  needs: ["logs", "sessions"],
  open({ program, clock, log, needs }: Given<unknown, Needs>) {
    const { sessions } = needs;
    let opened: DemoAccount | null = null;
    const face: DemoCalls = {
      open(account) {
        if (program.demo) opened = account;
      },
      account: () => opened,
      offerTours(root) {
        if (program.demo) sessions.tours.offer(root);
      },
      hasTours: sessions.tours.isOffered,
    };
    const { startTour } = sessions;
    const calls = needs.logs;
    const deps = { account: face.account, calls, startTour, nowMs: clock.elapsed, log };
    return { handlers: program.demo ? demoCallHandlers(deps) : [], face };
  },
});
