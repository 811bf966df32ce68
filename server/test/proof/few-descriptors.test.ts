/** A gateway that may open only 64 files says so, and blames no provider for it. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addChannel, addToken, type ConsoleClient, setRatio, signIn } from "#test/console.ts";
import { type Gateway, type Home, makeStartedHome, startGateway } from "#test/gateway.ts";
import { type DemoProcess, startDemo } from "./demo-process.ts";
import { eventually, readLogs } from "./ledger.ts";

/** More calls than 64 files suffice for: each takes two connections. */
const callCount = 24;

const executable = join(import.meta.dir, "../../../dist/tollgate");

let home: Home;
let demo: DemoProcess;
let gateway: Gateway;
let root: ConsoleClient;
let key: string;
beforeAll(async () => {
  home = await makeStartedHome("sqlite");
  demo = await startDemo();
  const command = ["bash", "-c", 'ulimit -n 64; exec "$0" "$@"', executable];
  gateway = await startGateway({ ...home, build: { command } });
  root = await signIn(gateway.origin);
  await demo.script("m", { promptTokens: 3, events: 4, hold: 2 });
  await setRatio(root, "ModelRatio", "m", 1);
  await addChannel(root, { base_url: demo.url, models: "m" });
  ({ key } = await addToken(root, {}));
});
afterAll(async () => {
  await gateway.kill();
  await demo.stop();
  await home.remove();
});

async function ask(): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${gateway.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] }),
  });
  return { status: answer.status, text: await answer.text() };
}

test("the start warns of it, calls beyond it are told that the gateway is busy, and the channel stays", async () => {
  await eventually(
    async () => gateway.output(),
    (said) => /WARNING: this process may have 64 files .*LimitNOFILE/.test(said),
    { what: "the warning of the start" },
  );
  const calls = Array.from({ length: callCount }, ask);
  const ended: Awaited<ReturnType<typeof ask>>[] = [];
  for (const call of calls) void call.then((answer) => ended.push(answer));
  await eventually(
    async () => ended.length,
    (count) => count > 0,
    { what: "a call that is told" },
  );
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set([503]));
  expect(ended[0]?.text).toContain("server_overloaded");
  await eventually(
    async () => gateway.output(),
    (said) => said.includes("no further file or connection can be opened"),
    { what: "the line for the operator" },
  );

  let isOver = false;
  const releasing = (async () => {
    while (!isOver) {
      await demo.release("m");
      await Bun.sleep(50);
    }
  })();
  const answers = await Promise.all(calls);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(5);
  // No pause, no other channel: the provider was not at fault.
  expect((await ask()).status).toBe(200);
  isOver = true;
  await releasing;
  const reasons = (await readLogs(root, { type: 5 })).map(({ content, other }) => content + other);
  expect(reasons.length).toBeGreaterThan(0);
  for (const reason of reasons) {
    expect(reason).toContain("网关可打开的文件和连接已达上限");
  }
  const metrics = await (await fetch(`${gateway.origin}/metrics`)).text();
  expect(metrics).toMatch(/_faults.*code="gateway-files"/);
  expect(readFileSync(`/proc/${gateway.pid}/limits`, "utf8")).toMatch(/Max open files +64 /);
});
