import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";

const script = join(import.meta.dir, "postgres.mjs");

test("a run that is killed outright leaves no server and no files behind", async () => {
  const run = Bun.spawn(
    ["node", script, "--", "sh", "-c", "echo $TOLLGATE_TEST_POSTGRES; sleep 60"],
    {
      // Starts a server of its own, even if the tests were given one.
      env: { ...process.env, TOLLGATE_TEST_POSTGRES: "" },
      stdout: "pipe",
    },
  );
  const { value } = await run.stdout.getReader().read();
  const url = new TextDecoder().decode(value).trim();
  const folder = await readDataFolder(url);
  expect(existsSync(folder)).toBe(true);

  run.kill("SIGKILL");

  while (existsSync(folder)) await Bun.sleep(50);
  await expect(readDataFolder(url)).rejects.toThrow();
});

async function readDataFolder(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>("show data_directory");
  await client.end();
  return rows[0]?.data_directory ?? "";
}
