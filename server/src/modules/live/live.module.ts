/** The calls that run now on all nodes, and how they are stopped by hand. */

import { hostname } from "node:os";
import { userStatus } from "@tollgate/contract/endpoints/users.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import { openLiveNodes } from "./live-nodes.ts";
import { liveHandlers } from "./live.handlers.ts";
import type { LiveStore } from "./live.store.ts";

type Needs = { readonly secondFactor: SecondFactor };

export const liveModule = defineModule({
  needs: ["secondFactor"],
  open({ clock, needs, nodeId, program, running, snapshot, store }: Given<LiveStore, Needs>) {
    // Several nodes of one machine differ by their ports.
    const name = (): string => `${hostname()}:${new URL(program.localAddress()).port}`;
    const wait = Bun.sleep;
    const isShared = program.dialect === "postgres";
    const nodes = openLiveNodes({
      store,
      running,
      nodeId,
      name,
      isShared,
      wait,
      nowMs: clock.elapsed,
    });
    /** A caller without an API key who uses another node is read from the database for the next time. */
    const roleOf = (userId: number): number | undefined => {
      const found = snapshot.findUser(userId);
      if (found === undefined) snapshot.readUser(userId).catch(() => {});
      return found?.role;
    };
    return {
      handlers: liveHandlers({
        running,
        nodes,
        wait,
        roleOf,
        isStill({ role, userId }) {
          const user = snapshot.findUser(userId);
          return user?.status === userStatus.enum.enabled && user.role === role;
        },
        requireStepUp: needs.secondFactor.requireStepUp,
        now: clock.now,
      }),
      jobs: nodes.jobs,
    };
  },
});
