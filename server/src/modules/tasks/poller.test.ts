/** What becomes of due tasks, whatever their upstreams say. */

import { afterEach, expect, test } from "bun:test";
import { openLogger } from "#base/logger.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { pollDue } from "./poller.ts";
import { claimMs } from "./task-times.ts";
import { taskStore } from "./tasks.store.ts";
import { type Asked, openFakeUpstream, taskChannel } from "./testing/fake-upstream.ts";
import { newTask, submittedMs } from "./testing/task-samples.ts";

const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

const minuteMs = 60_000;

async function openScene(dialect: Dialect, reply: (asked: Asked) => unknown, stepMs = 0) {
  const { db, close } = await openTestDatabase(dialect);
  closes.push(close);
  const store = bindStore(taskStore, db);
  const { asked, transport } = openFakeUpstream(reply);
  let elapsedMs = 0;
  const told: string[] = [];
  const deps = {
    store,
    transport: async (call: Parameters<typeof transport>[0]) => {
      elapsedMs += stepMs;
      return await transport(call);
    },
    findChannel: (id: number) => (id === 9 ? undefined : taskChannel({ id })),
    keyRef: (key: string) => key,
    now: () => submittedMs + minuteMs,
    elapsed: () => elapsedMs,
    random: () => 0.5,
    told: (_: unknown, row?: { task_id: string }) => void told.push(row?.task_id ?? ""),
    log: openLogger("silent"),
  };
  return {
    asked,
    told,
    elapsedMs: () => elapsedMs,
    poll: async () => await pollDue(deps),
    read: async (id: string) => await store.findTask(id, null),
    /** Adds a task that its upstream has accepted, and that is due. */
    async add(id: string, parts: Partial<Parameters<typeof newTask>[0]> & { upstream?: string }) {
      const { upstream = `up-${id}`, ...row } = parts;
      await store.addTask(newTask({ task_id: id, platform: "suno", due_at: 1, ...row }));
      const accepted = { upstream_id: upstream, status: upstream === "" ? "" : "SUBMITTED" };
      await db.updateTable("tasks").set(accepted).where("task_id", "=", id).execute();
    },
  };
}

const song = (id: string, status: string) => ({ task_id: id, status, progress: "30%", data: null });
const songs = (...data: readonly object[]) => ({ code: "success", data });

for (const dialect of testDialects) {
  test(`a task fails at its deadline, whatever its upstream says or does not say, on ${dialect}`, async () => {
    const runs = songs(song("up-Tlate", "IN_PROGRESS"), song("up-Ttime", "IN_PROGRESS"));
    const scene = await openScene(dialect, ({ path }) => (path === "/suno/fetch" ? runs : null));
    const over = { deadline_at: submittedMs + minuteMs };
    await scene.add("Tlate", over);
    await scene.add("Thours", {
      deadline_at: submittedMs + minuteMs,
      submit_time: submittedMs - 119 * minuteMs,
    });
    await scene.add("Ttime", { deadline_at: submittedMs + minuteMs + 1 });
    await scene.add("Tsilent", { ...over, platform: "kling", action: "VIDEO", channel_id: 6 });
    await scene.add("Tgone", { channel_id: 9 });
    await scene.add("Tunsent", { upstream: "" });
    await scene.poll();

    expect(await scene.read("Tlate")).toMatchObject({
      status: "FAILURE",
      progress: 100,
      fail_reason: "上游任务超时（超过1分钟）",
    });
    // Whole hours are said as hours.
    expect((await scene.read("Thours"))?.fail_reason).toBe("上游任务超时（超过2小时）");
    expect(await scene.read("Ttime")).toMatchObject({ status: "IN_PROGRESS", progress: 30 });
    expect((await scene.read("Tsilent"))?.status).toBe("FAILURE");
    expect(await scene.read("Tgone")).toMatchObject({
      status: "FAILURE",
      fail_reason: "任务的渠道已被删除",
    });
    const unsent = await scene.read("Tunsent");
    expect([unsent?.status, unsent?.quota, unsent?.loss, unsent?.due_at]).toEqual([
      "UNKNOWN",
      0,
      unsent?.cost,
      0,
    ]);
  });

  test(`what an upstream says of a task of another channel does not count on ${dialect}`, async () => {
    const scene = await openScene(dialect, ({ body }) => {
      const isOwn = String(body["ids"]).includes("up-Town");
      return isOwn ? songs(song("up-Tother", "FAILURE"), song("up-Town", "SUCCESS")) : songs();
    });
    await scene.add("Town", { channel_id: 5 });
    await scene.add("Tother", { channel_id: 6 });
    await scene.poll();

    expect((await scene.read("Town"))?.status).toBe("SUCCESS");
    expect((await scene.read("Tother"))?.status).toBe("SUBMITTED");
  });

  test(`tasks of a channel are asked about together, and a silent channel is asked once, on ${dialect}`, async () => {
    const scene = await openScene(dialect, ({ path }) => (path === "/suno/fetch" ? songs() : null));
    for (let number = 0; number < 120; number += 1) await scene.add(`T${number}`, {});
    for (let number = 0; number < 3; number += 1) {
      await scene.add(`Tk${number}`, { platform: "kling", action: "VIDEO", channel_id: 6 });
    }
    await scene.poll();

    const batches = scene.asked
      .filter(({ path }) => path === "/suno/fetch")
      .map(({ body }) => (Array.isArray(body["ids"]) ? body["ids"].length : 0));
    expect(batches).toEqual([100, 20]);
    expect(scene.asked.length).toBe(3);
    for (const id of ["T0", "Tk2"]) {
      const row = await scene.read(id);
      expect(row?.due_at, id).toBeGreaterThan(submittedMs + minuteMs);
      expect(row?.due_at, id).toBeLessThan(submittedMs + 2 * minuteMs);
    }
  });

  test(`a slow channel is not asked until the lease of its tasks ends on ${dialect}`, async () => {
    const slowMs = 1_000;
    const running = { code: 0, data: { task_status: "processing" } };
    const scene = await openScene(
      dialect,
      ({ path }) => ({
        ...running,
        data: { ...running.data, task_id: path.split("/").at(-1) ?? "" },
      }),
      slowMs,
    );
    const kling = { platform: "kling", action: "VIDEO" };
    for (let number = 0; number < 100; number += 1) await scene.add(`T${number}`, kling);
    await scene.poll();

    expect(scene.elapsedMs()).toBeLessThan(claimMs / 2);
    expect(scene.asked.length).toBeGreaterThan(10);
    // Those that nobody asked about are not left to the end of the lease.
    const last = scene.asked.length + 1;
    expect((await scene.read(`T${last}`))?.due_at).toBeLessThan(submittedMs + 2 * minuteMs);
    expect((await scene.read("T0"))?.status).toBe("IN_PROGRESS");
  });
}
