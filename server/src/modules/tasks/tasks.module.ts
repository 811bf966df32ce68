/** Asynchronous tasks: submitted, asked about by a job, charged once and refunded once. */

import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";
import { openAddressPolicy } from "#base/address-policy.ts";
import { randomText } from "#base/secrets.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { Channels } from "#modules/channels/channels.ts";
import { openDesk } from "./desk.ts";
import type { DeskDeps } from "./desk-work.ts";
import { tellClient } from "./notify-hook.ts";
import { pollDue } from "./poller.ts";
import { callbackPath } from "./task-state.ts";
import { taskHandlers } from "./tasks.handlers.ts";
import type { TaskStore } from "./tasks.store.ts";

/** How often due tasks are looked for, in milliseconds. */
const pollMs = 1_000;

/** The letters and digits after the `T` of a task's id. */
const idLength = 32;

const megabyte = 1_000_000;
/** The largest song or video that is passed on. */
const taskResultBytesMax = 2_000 * megabyte;

export const tasksModule = defineModule({
  needs: ["channels"],
  open(given: Given<TaskStore, { readonly channels: Channels }>) {
    const { store, options, secrets, network, snapshot, limits, money, clock, log, program } =
      given;
    const outside = network.transportTo(openAddressPolicy({ privateRanges: [], loopback: false }));
    const notifySign = (channelId: number, key: string): string =>
      secrets.lookup("task-notify", `${channelId} ${key}`);
    const serverAddress = (): string => trimEndOf(options.read("ServerAddress"), "/");
    const deps: DeskDeps = {
      store,
      transport: network.transport,
      limits,
      findChannel: (id) => snapshot.findChannel(id),
      // Marked as a person's decision, so that no later test of the channel enables it again.
      disableChannel: (id, reason) => given.needs.channels.disable(id, reason, 2),
      newTaskId: () => `T${randomText(idLength)}`,
      keyRef: (key) => secrets.lookup("task-key", key).slice(0, 16),
      notifySign,
      notifyUrl(channel, key) {
        const base = serverAddress();
        return base === ""
          ? ""
          : `${base}${callbackPath}channel=${channel.id}&sign=${notifySign(channel.id, key)}`;
      },
      deadlineMs: (kind) =>
        kind === "drawing"
          ? options.read("MjTimeoutMinutes") * 60_000
          : options.read("TaskTimeoutHours") * 3_600_000,
      resultBytesMax: (kind) =>
        kind === "drawing" ? options.read("MjResultMegabytesMax") * megabyte : taskResultBytesMax,
      platformOptions: () => ({
        accountFilter: options.read("MjAccountFilterEnabled"),
        notify: options.read("MjNotifyEnabled"),
        modeClear: options.read("MjModeClearEnabled"),
        actionCheckSuccess: options.read("MjActionCheckSuccessEnabled"),
      }),
      forwardsPictures: () => options.read("MjForwardUrlEnabled"),
      serverAddress: () => serverAddress() || program.basePath,
      told(result, row) {
        if (result.refund !== null) money.refunded(result.refund);
        if (result.isNew && row !== undefined && row.notify_hook !== "") {
          tellClient({ deps, outside, log }, row);
        }
      },
      now: clock.now,
      elapsed: clock.elapsed,
      random: Math.random,
      wait: Bun.sleep,
    };
    return {
      face: openDesk(deps),
      handlers: taskHandlers(deps),
      jobs: [
        {
          name: "poll-tasks",
          everyMs: pollMs,
          runs: "once-in-all-nodes" as const,
          run: async () => await pollDue({ ...deps, log }),
        },
      ],
    };
  },
});
