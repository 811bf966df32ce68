/** What the desk bounds and refuses, before anything is read or sent. */

import { expect, test } from "bun:test";
import { openRateLimits } from "#base/rate-limit.ts";
import type { DeskCall, TaskCaller } from "#platforms/desk.ts";
import { openDesk, type DeskDeps } from "./desk.ts";
import { findRoute } from "./routes.ts";

/** A desk that must neither read nor send anything but what a test gives it. */
function openScene() {
  let nowMs = 0;
  let read = 0;
  const waits: number[] = [];
  const release = Promise.withResolvers<undefined>();
  const parts: Partial<DeskDeps> = {
    limits: openRateLimits({ now: () => nowMs }),
    elapsed: () => nowMs,
    // Safe cast: these tests ask for no other function.
    store: {
      findTask: async () => {
        read += 1;
        return null;
      },
    } as Partial<DeskDeps["store"]> as DeskDeps["store"],
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
