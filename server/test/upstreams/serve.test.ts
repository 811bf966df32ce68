import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";

// Crash tests kill the gateway and then read the account of an upstream that lives on.
test("the demo upstream runs in a process of its own and ends on SIGTERM", async () => {
  const program = fileURLToPath(new URL("./serve.ts", import.meta.url));
  const child = Bun.spawn([process.execPath, program, "--port", "0"], { stdout: "pipe" });
  const reader = child.stdout.getReader();
  const line = new TextDecoder().decode((await reader.read()).value);
  const { url } = JSON.parse(line);

  expect(line.trimEnd().split("\n")).toHaveLength(1);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const answer = await fetch(`${url}/__demo/account`);
  expect(await answer.json()).toMatchObject({ totals: { calls: 0 }, calls: [] });

  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});
