/** The guide of configuration as code, followed word for word: docs/operate/automation.md. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type DemoProcess, startDemo } from "./demo-process.ts";
import { executable } from "#test/gateway.ts";
import { freePort } from "#test/nginx.ts";

const operate = join(import.meta.dir, "../../../docs/operate");
const guide = readFileSync(join(operate, "automation.md"), "utf8");

/** The blocks of the guide in a language. */
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, text = ""]) => text,
  );

let folder: string;
let demo: DemoProcess;
let port: number;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-guide-"));
  demo = await startDemo();
  await demo.script("gpt-4o-mini", {});
  port = freePort();
});
afterAll(async () => {
  await demo.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The file of the guide, whose channel asks the upstream of this test. */
const shop = (): string =>
  (blocks("yaml")[0] ?? "").replace("type: openai", `type: openai\n    base_url: ${demo.url}`);

const environment = (): Record<string, string> => ({
  PATH: `${dirname(executable)}:${process.env["PATH"] ?? ""}`,
  HOME: folder,
  PORT: String(port),
  OPENAI_API_KEY: "sk-of-the-test",
});

async function bash(script: string): Promise<{ code: number; out: string; err: string }> {
  // The gateway that the script starts ends with it.
  const whole = `set -e\ntrap 'kill $(jobs -p) 2> /dev/null; wait' EXIT\n${script}`;
  const child = Bun.spawn(["bash", "-c", whole], {
    cwd: folder,
    env: environment(),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

test("from zero to a first call, and over the API, as the guide says", async () => {
  writeFileSync(join(folder, "shop.yaml"), shop());
  const script = blocks("sh")
    .join("\necho; echo ==; echo == >&2\n")
    .replaceAll(":3000/", `:${port}/`);
  const { code, out, err } = await bash(script.replaceAll(`:3000\n`, `:${port}\n`));
  expect(code, out + err).toBe(0);
  const [set = "", called = ""] = out.split("==\n");
  const [told = "", , compared = ""] = err.split("==\n");
  expect(told).toMatch(/^There is no database in .*\n7 things changed\.\nNothing differs\.\n$/);
  expect(set).toContain("+ channel openai");
  expect(JSON.parse(called)).toMatchObject({ choices: [{ message: { role: "assistant" } }] });
  expect(compared).toBe("Nothing differs.\n");
});

const composed = z.object({
  services: z.object({
    setup: z.looseObject({
      command: z.array(z.string()),
      volumes: z.array(z.string()),
      environment: z.record(z.string(), z.string()),
    }),
    tollgate: z.looseObject({
      depends_on: z.object({
        setup: z.object({ condition: z.literal("service_completed_successfully") }),
      }),
      environment: z.record(z.string(), z.string()),
      volumes: z.array(z.string()),
    }),
  }),
  volumes: z.record(z.string(), z.null()),
});

test("the compose file applies a folder before the gateway starts on the same data", async () => {
  const text = readFileSync(join(operate, "compose.automation.yaml"), "utf8");
  const { setup, tollgate } = composed.parse(Bun.YAML.parse(text)).services;
  expect(setup.volumes[0]).toBe(tollgate.volumes[0]);
  const referred = [...shop().matchAll(/env: (\w+)/g)].map(([, name = ""]) => name);
  expect(Object.keys(setup.environment).toSorted()).toEqual([...new Set(referred)].toSorted());

  const config = join(folder, "config");
  mkdirSync(config);
  copyFileSync(join(folder, "shop.yaml"), join(config, "shop.yaml"));
  const command = setup.command.map((word) => word.replace("/etc/tollgate", config)).join(" ");
  const { code, out, err } = await bash(`
    export TOLLGATE_DATA_DIR=$PWD/composed ROOT_PASSWORD=$(openssl rand -hex 12)
    export FIRST_KEY=sk-$(openssl rand -hex 24)
    tollgate ${command} > /dev/null
    tollgate > gateway.log 2>&1 &
    until tollgate health 2> /dev/null; do sleep 0.2; done
    curl -sS http://127.0.0.1:${port}/v1/models -H "Authorization: Bearer $FIRST_KEY"`);
  expect(code, out + err).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ data: [{ id: "gpt-4o-mini" }] });
});
