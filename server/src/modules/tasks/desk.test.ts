/** What the desk bounds and refuses, before anything is read or sent. */

import { expect, test } from "bun:test";
import { openRateLimits } from "#base/rate-limit.ts";
import type { DeskCall, TaskCaller } from "#ports/task-desk.ts";
import { openDesk } from "./desk.ts";
import type { DeskDeps } from "./desk-work.ts";
import { findRoute } from "./routes.ts";
import { taskChannel } from "./testing/fake-upstream.ts";

/** A desk that must neither read nor send anything but what a test gives it. */
function openScene() {
  let nowMs = 0;
  let read = 0;
  const waits: number[] = [];
  const noted: string[] = [];
  const release = Promise.withResolvers<undefined>();
  const parts: Partial<DeskDeps> = {
    limits: openRateLimits({ now: () => nowMs }),
    elapsed: () => nowMs,
    now: () => nowMs,
    // Safe cast: these tests ask for no other function.
    store: {
      findTask: async () => {
        read += 1;
        return null;
      },
      findUpstreamTask: async (channelId: number, upstreamId: string) =>
        channelId === 5 && upstreamId === "up-1" ? { task_id: "T1", platform: "midjourney" } : null,
      noteState: async ({ taskId }: { readonly taskId: string }) => {
        noted.push(taskId);
        return { refund: null, isNew: true };
      },
    } as unknown as DeskDeps["store"],
    findChannel: (id) =>
      id === 5 || id === 6 ? taskChannel({ id, keys: [`sk-${id}`] }) : undefined,
    notifySign: (id, key) => `sign of ${id} ${key}`,
    told() {},
    platformOptions: () => ({
      accountFilter: false,
      notify: false,
      modeClear: false,
      actionCheckSuccess: true,
    }),
    wait: async (ms) => {
      waits.push(ms);
      await release.promise;
    },
  };
  // Safe cast: a function that is missing fails the test that calls it.
  const desk = openDesk(parts as DeskDeps);
  return {
    waits,
    noted,
    /** Tells of a task as an upstream does. */
    async tell(query: Record<string, string>, secret: string | null, id = "up-1") {
      const path = `/mj/notify?${new URLSearchParams(query).toString()}`;
      const found = findRoute("POST", "/mj/notify");
      const body = JSON.stringify({ id, status: "FAILURE", progress: "100%" });
      const headers = { get: (name: string) => (name === "mj-api-secret" ? secret : null) };
      const call = {
        found,
        request: { url: path, headers },
        clientIp: "203.0.113.7",
        say: (message: string) => message,
        caller: null,
        bytes: new TextEncoder().encode(body),
      };
      // Safe cast: the desk reads only these fields of a call with this path.
      return (await desk.answer(call as unknown as DeskCall))?.status;
    },
    read: () => read,
    letGo: () => release.resolve(undefined),
    skip: (ms: number) => void (nowMs += ms),
    async ask(userId: number | null, path = "/mj/task/T1/fetch") {
      const found = findRoute("GET", path);
      if (found === undefined) throw new Error(path);
      const call = {
        found,
        request: { url: path },
        requestId: "r",
        clientIp: "203.0.113.7",
        say: (message: string) => message,
        caller: userId === null ? null : ({ userId, drawing: null } as Partial<TaskCaller>),
        bytes: new Uint8Array(),
      };
      // Safe cast: nothing else of a call is read for these paths.
      return await desk.answer(call as DeskCall);
    },
  };
}

test("a user who asks for tasks as fast as a program can waits for 100 turns a second, and others do not", async () => {
  const scene = openScene();
  const asked = Array.from({ length: 150 }, async () => (await scene.ask(1))?.status);
  await Promise.all(asked.slice(0, 20));
  expect(scene.read()).toBe(20);
  const turns = scene.waits.filter((ms) => ms < 1_000);
  expect(turns).toEqual(Array.from({ length: 99 }, (_, index) => 10 * (index + 1)));
  // The turn after a second, and those for whom no turn is left.
  expect(scene.waits.length - turns.length).toBe(31);
  expect((await scene.ask(2))?.status).toBe(400);
  scene.letGo();
  const statuses = await Promise.all(asked);
  expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  const refused = await scene.ask(1);
  expect([refused?.status, Object(refused?.headers)["retry-after"]]).toEqual([429, "1"]);
  scene.skip(1_500);
  expect((await scene.ask(1))?.status).toBe(400);
});

test("who guesses addresses of pictures without a key is refused after 600 in a minute", async () => {
  const scene = openScene();
  const guess = async (number: number) =>
    (await scene.ask(null, `/mj/image/T${String(number).padStart(32, "0")}`))?.status;
  const statuses = new Set<number | undefined>();
  for (let number = 0; number < 600; number += 1) statuses.add(await guess(number));
  expect([...statuses]).toEqual([404]);
  expect(await guess(601)).toBe(429);
  expect(scene.read()).toBe(600);
});

test("what an upstream tells counts only with the proof of the task's own channel", async () => {
  const scene = openScene();
  const sign = "sign of 5 sk-5";
  expect(await scene.tell({}, null)).toBe(403);
  expect(await scene.tell({ channel: "5" }, null)).toBe(403);
  expect(await scene.tell({ channel: "5", sign: "" }, "")).toBe(403);
  expect(await scene.tell({ channel: "5", sign: "sign of 6 sk-6" }, null)).toBe(403);
  expect(await scene.tell({ channel: "5" }, "sk-6")).toBe(403);
  expect(await scene.tell({ channel: "7", sign }, "sk-5")).toBe(403);
  // The proof of channel 6, and a task that channel 5 has.
  expect(await scene.tell({ channel: "6", sign: "sign of 6 sk-6" }, null)).toBe(400);
  expect(scene.noted).toEqual([]);
  expect(await scene.tell({ channel: "5", sign }, null)).toBe(200);
  expect(await scene.tell({ channel: "5" }, "sk-5")).toBe(200);
  expect(await scene.tell({ channel: "5", sign }, null, "up-2")).toBe(400);
  expect(scene.noted).toEqual(["T1", "T1"]);
});
