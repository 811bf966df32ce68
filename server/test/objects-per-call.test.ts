import { expect, test } from "bun:test";
import { join } from "node:path";

type Counted = {
  readonly ok: number;
  readonly all: number;
  readonly counts: Readonly<Record<string, number>>;
};

/**
 * The most objects a small call may make in relay and ledger, on the average. Lower it when the
 * count has become lower.
 */
const objectsMax = 156;

async function count(): Promise<Counted> {
  const program = join(import.meta.dir, "objects-per-call.ts");
  const counting = Bun.spawn([process.execPath, "--no-env-file", program], {
    // Without garbage collection every object that was made is still there to be counted.
    env: { ...process.env, BUN_JSC_useGC: "0" },
    stdout: "pipe",
    stderr: "inherit",
  });
  // Safe cast: the program writes one value of this type.
  return (await new Response(counting.stdout).json()) as Counted;
}

test("a small call makes no more objects than it did, no regular expression and no BigInt", async () => {
  const { ok, all, counts } = await count();

  expect(ok, "calls answered").toBe(400);
  expect(all, `objects a call: ${JSON.stringify(counts)}`).toBeLessThanOrEqual(objectsMax);
  expect(all, "objects a call: the count itself must work").toBeGreaterThan(objectsMax / 2);
  expect(counts).not.toHaveProperty("RegExp");
  expect(counts).not.toHaveProperty("BigInt");
});
