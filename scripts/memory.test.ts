import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryFolder } from "./memory.mjs";

test("temporary files in memory are removed even when the run is killed outright", async () => {
  const script = join(import.meta.dir, "memory.mjs");
  const program = `
    import { mkdtempSync } from "node:fs";
    import { tmpdir } from "node:os";
    import { keepFilesInMemory } from ${JSON.stringify(script)};
    keepFilesInMemory();
    console.log(mkdtempSync(tmpdir() + "/of-the-run-"));
    setInterval(() => {}, 1000);`;
  const run = Bun.spawn(["node", "--input-type=module", "-e", program], { stdout: "pipe" });
  const { value } = await run.stdout.getReader().read();
  const folder = new TextDecoder().decode(value).trim();
  expect(existsSync(folder)).toBe(true);

  run.kill("SIGKILL");

  // On a system without such a folder the file is an ordinary one, which stays.
  while (memoryFolder() !== null && existsSync(folder)) await Bun.sleep(20);
});

test("a folder that is missing, or of another kind, is not taken for one in memory", () => {
  expect(memoryFolder(join(tmpdir(), "missing"))).toBeNull();
  expect(memoryFolder("/proc")).toBeNull();
});
