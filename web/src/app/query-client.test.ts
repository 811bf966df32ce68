import { MutationObserver } from "@tanstack/react-query";
import { expect, test } from "bun:test";
import { queryClient } from "./query-client.ts";

/** A read that the server does not answer yet. */
const unanswered = new Promise<never>(() => {});

test("a refusal is told at once, also while what it may have changed is still being read again", async () => {
  let readAgain = 0;
  const change = new MutationObserver(queryClient, {
    mutationFn: async () => await Promise.reject(new Error("no")),
    onSettled: async () => {
      readAgain += 1;
      await unanswered;
    },
  });
  const late = new Promise<string>((resolve) => setTimeout(resolve, 1_000, "late"));
  const told = change.mutate().catch((error: Error) => error.message);
  expect(await Promise.race([told, late])).toBe("no");
  expect(readAgain).toBe(1);
});

test("a change that succeeds is done when what it has changed was read again", async () => {
  const done: string[] = [];
  const change = new MutationObserver(queryClient, {
    mutationFn: async () => await Promise.resolve("changed"),
    onSettled: async () => {
      await Promise.resolve();
      done.push("read again");
    },
  });
  done.push(await change.mutate());
  expect(done).toEqual(["read again", "changed"]);
});

test("a re-read that fails after a refusal changes nothing", async () => {
  const change = new MutationObserver(queryClient, {
    mutationFn: async () => await Promise.reject(new Error("no")),
    onSettled: async () => await Promise.reject(new Error("nor this")),
  });
  expect(await change.mutate().catch((error: Error) => error.message)).toBe("no");
});
