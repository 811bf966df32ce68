import { expect, test } from "bun:test";
import * as contract from "@tollgate/contract/endpoints/registration.ts";
import { openLogger } from "#base/logger.ts";
import { openRateLimits } from "#base/rate-limit.ts";
import { openSecrets } from "#base/secrets.ts";
import type { Caller } from "#http/handler.ts";
import { passwordResetHandlers } from "./password-reset.handlers.ts";

const untested = (): never => {
  throw new Error("not tested here");
};

function open() {
  const world = { hashes: 0, isUsed: false, fails: false };
  const handlers = passwordResetHandlers({
    store: {
      findResettable: untested,
      isCode: async () => !world.isUsed,
      register: untested,
      async resetPassword() {
        const works = !world.isUsed;
        world.isUsed = true;
        return works;
      },
      saveCode: untested,
    },
    passwords: {
      async hash(password) {
        world.hashes += 1;
        if (world.fails) throw new Error("broken");
        return `hash of ${password}`;
      },
      hashChosen: untested,
      verify: untested,
    },
    readOption: untested,
    mail: { isSetUp: () => true, send: untested },
    checkBot: async () => {},
    secrets: openSecrets("0123456789abcdef0123456789abcdef"),
    limits: openRateLimits({ now: () => 0 }),
    newLinkToken: untested,
    newPassword: () => "a new password of 20",
    ownAddress: () => "",
    now: () => 0,
    log: openLogger("silent"),
  });
  const handler = handlers.find(({ endpoint }) => endpoint === contract.resetPassword);
  /**
   * Uses a link from a different IP address each time, because the number of attempts from one
   * address is limited.
   */
  const reset = async (index: number) => {
    const caller: Caller = {
      userId: 0,
      role: 0,
      username: "",
      clientIp: `203.0.113.${index}`,
      sessionId: null,
      requestId: "r",
    };
    return await handler?.run({ email: "a@example.com", token: "link" }, caller);
  };
  return { world, reset };
}

test("50 resets with one right link hash once, and one of them works", async () => {
  const { world, reset } = open();
  const answers = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => reset(index)));
  expect(world.hashes).toBe(1);
  expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("a reset that fails leaves the link for the next one", async () => {
  const { world, reset } = open();
  world.fails = true;
  await expect(reset(1)).rejects.toThrow("broken");
  world.fails = false;
  expect(await reset(2)).toBe("a new password of 20");
});
