/**
 * The blocks of the page “Connect”, run as they are copied from it: the code of the SDKs that are
 * installed here and of curl, and the scripts that write the files of agents. What runs from PyPI,
 * and the agents themselves: `npm run agents -- --connect`.
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clients, modelFor } from "@tollgate/contract/connect/clients.ts";
import { scriptName, scriptOf } from "@tollgate/contract/connect/script.ts";
import { startUpstreams } from "#test/upstreams/start.ts";
import { openTestRelay, testChannel, testKey, type TestRelay } from "#relay/testing/relay.ts";
import { openai } from "#providers/openai.ts";

const said = "This is a scripted answer";
const model = "demo-fast";
const upstream = startUpstreams();
let relay: TestRelay;
let folder = "";
beforeAll(() => {
  const channel = testChannel({
    baseUrl: upstream.url,
    provider: openai,
    models: new Set([model]),
  });
  relay = openTestRelay({ channels: [channel], stillConnections: true });
  folder = mkdtempSync(join(tmpdir(), "tollgate-connect-"));
  symlinkSync(join(import.meta.dir, "../../../node_modules"), join(folder, "node_modules"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await relay.stop();
  await upstream.stop();
});

type Ended = { readonly code: number; readonly out: string; readonly err: string };

async function run(
  command: readonly string[],
  { input = "", home = folder }: { readonly input?: string; readonly home?: string } = {},
): Promise<Ended> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { HOME: home, USERPROFILE: home, PATH: process.env["PATH"] ?? "" },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
    timeout: 30_000,
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

const blocksOf = (id: string, key: string) => {
  const client = clients.find((one) => one.id === id);
  return client?.blocks({ origin: relay.url, key, model }) ?? [];
};

for (const id of ["openai-js", "anthropic-js", "google-js"]) {
  test(`the block of ${id} makes a call as it is`, async () => {
    const [block] = blocksOf(id, testKey);
    if (block?.kind !== "code") throw new Error("it is no code");
    const file = join(folder, `${id}.mjs`);
    writeFileSync(file, block.text);
    const { code, out, err } = await run([process.execPath, file]);
    expect(err).toBe("");
    expect(out).toContain(said);
    expect(code).toBe(0);
  });
}

test("the blocks of curl make a call in each format, and no argument has the key", async () => {
  const blocks = blocksOf("curl", testKey);
  expect(blocks).toHaveLength(4);
  for (const block of blocks) {
    if (block.kind !== "code") throw new Error("it is no code");
    const [command = ""] = block.text.split("\n");
    expect(command).not.toContain(testKey);
    const { out } = await run(["sh", "-c", block.text]);
    expect(out, command).toContain(said);
  }
});

test("every program has an address, a key to copy and a model, and none has a key of its own", () => {
  for (const client of clients) {
    const text = JSON.stringify(
      client.blocks({ origin: "https://gate.example", key: "sk-one", model: "some-model" }),
    );
    expect(text, client.id).toContain("https://gate.example");
    expect(text, client.id).toContain("sk-one");
    expect(text, client.id).toContain("some-model");
  }
});

test("a program is shown with a model that it is made for, and with none that does not chat", () => {
  const models = ["claude-sonnet-4-5", "gpt-5", "text-embedding-3-small"];
  const suited = Object.fromEntries(
    clients.map(({ id, prefers }) => [id, modelFor(prefers, models)]),
  );
  expect(suited["claude-code"]).toBe("claude-sonnet-4-5");
  expect(suited["codex"]).toBe("gpt-5");
  // It speaks to any model in its format, and to one that chats.
  expect(suited["gemini-cli"]).toBe("claude-sonnet-4-5");
  expect(modelFor(["gemini"], ["text-embedding-3-small"])).toBe("text-embedding-3-small");
  expect(modelFor(["gemini"], [])).toBeUndefined();
});

const scripted = clients.filter(
  ({ changes }) => changes({ origin: "", key: "", model: "" }).length > 0,
);

/** Files that an agent may have had before. */
const earlier: Readonly<Record<string, string>> = {
  ".claude/settings.json": '{"permissions":{"allow":["Read"]},"env":{"OTHER":"1"},"model":"old"}',
  ".codex/config.toml":
    'model = "old"\nsandbox_mode = "read-only"\n\n[model_providers.tollgate]\nname = "old"\n\n' +
    '[projects."/home/me"]\ntrust_level = "trusted"\n',
  ".gemini/.env": "GEMINI_API_KEY=old\nOTHER=1\n",
};

async function runScript(home: string, id: string, args: readonly string[], key = testKey) {
  const client = scripted.find((one) => one.id === id);
  if (client === undefined) throw new Error(`${id} has no script`);
  const file = join(home, scriptName(client));
  writeFileSync(file, scriptOf(client, { origin: relay.url, model }));
  const ended = await run(["node", file, ...args], { home, input: `${key}\n` });
  return { ...ended, paths: client.changes({ origin: "", key, model }).map(({ path }) => path) };
}

for (const { id } of scripted) {
  test(`the script of ${id} writes the agent's files alone, for their owner, and takes all back`, async () => {
    const home = mkdtempSync(join(folder, "home-"));
    for (const [path, text] of Object.entries(earlier)) {
      mkdirSync(join(home, path, ".."), { recursive: true });
      writeFileSync(join(home, path), text, { mode: 0o644 });
    }
    const { code, out, err, paths } = await runScript(home, id, []);
    expect(err).not.toContain(testKey);
    expect(out).not.toContain(testKey);
    expect(code).toBe(0);
    for (const path of paths) {
      expect(out).toContain(join(home, path));
      expect(statSync(join(home, path)).mode & 0o777).toBe(0o600);
    }
    expect(out).toContain("--undo");
    const written = paths.map((path) => readFileSync(join(home, path), "utf8"));
    expect(written.filter((text) => text.includes(testKey))).toHaveLength(1);
    // A second run changes nothing, and does not take the first one's files for the earlier ones.
    await runScript(home, id, []);
    expect(paths.map((path) => readFileSync(join(home, path), "utf8"))).toEqual(written);
    expect((await runScript(home, id, ["--undo"])).code).toBe(0);
    for (const path of paths) {
      const text = earlier[path];
      expect(existsSync(join(home, path))).toBe(text !== undefined);
      if (text !== undefined) expect(readFileSync(join(home, path), "utf8")).toBe(text);
    }
  });
}

test("a script keeps what else is in a file, and replaces what it sets", async () => {
  const home = mkdtempSync(join(folder, "home-"));
  for (const [path, text] of Object.entries(earlier)) {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  for (const id of ["claude-code", "codex", "gemini-cli"]) await runScript(home, id, []);
  const settings: unknown = JSON.parse(readFileSync(join(home, ".claude/settings.json"), "utf8"));
  expect(settings).toMatchObject({
    permissions: { allow: ["Read"] },
    model,
    env: { OTHER: "1", ANTHROPIC_AUTH_TOKEN: testKey, ANTHROPIC_BASE_URL: relay.url },
  });
  const toml: unknown = Bun.TOML.parse(readFileSync(join(home, ".codex/config.toml"), "utf8"));
  expect(toml).toMatchObject({
    model,
    model_provider: "tollgate",
    sandbox_mode: "read-only",
    model_providers: { tollgate: { name: "Tollgate", experimental_bearer_token: testKey } },
    projects: { "/home/me": { trust_level: "trusted" } },
  });
  const env = readFileSync(join(home, ".gemini/.env"), "utf8").trim().split("\n");
  expect(env.toSorted()).toEqual([
    `GEMINI_API_KEY=${testKey}`,
    `GOOGLE_GEMINI_BASE_URL=${relay.url}`,
    "OTHER=1",
  ]);
});

test("a key that is refused, and a file that cannot be read, change nothing", async () => {
  const home = mkdtempSync(join(folder, "home-"));
  for (const key of ["sk-wrong", "not a key", ""]) {
    const { code } = await runScript(home, "claude-code", [], key);
    expect(code).toBe(1);
    expect(existsSync(join(home, ".claude"))).toBe(false);
  }
  mkdirSync(join(home, ".gemini"));
  writeFileSync(join(home, ".gemini/settings.json"), "// a comment\n{}");
  const { code, err } = await runScript(home, "gemini-cli", []);
  expect(err).toContain("by hand");
  expect(code).toBe(1);
  expect(existsSync(join(home, ".gemini/.env"))).toBe(false);
});
