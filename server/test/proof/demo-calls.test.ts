import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  charge,
  chargedUsage,
  type PriceList,
  unitPrice,
} from "@tollgate/contract/money/charge.ts";
import { demoCallsMax } from "@tollgate/contract/endpoints/demo-calls.ts";
import { type ConsoleClient, signIn } from "#test/console.ts";
import { type Gateway, type Home, makeHome, startGateway } from "#test/gateway.ts";
import { eventually } from "./ledger.ts";

let home: Home;
let gateway: Gateway;
let root: ConsoleClient;
beforeAll(async () => {
  home = await makeHome("sqlite");
  gateway = await startGateway(home, { args: ["--demo"] });
  await eventually(
    async () => gateway.output(),
    (said) => said.includes(":streamGenerateContent"),
    { what: "the demo's calls" },
  );
  root = await signIn(gateway.origin);
  await root.call("PUT", "/api/option/", { key: "ConsoleRequestsPerMinute", value: "0" });
});
afterAll(async () => {
  await gateway.kill();
  await home.remove();
});

type Row = {
  readonly id: number;
  readonly request_id: string;
  readonly model_name: string;
  readonly group: string;
  readonly quota: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly charge: { readonly usage: unknown; readonly prices: PriceList };
};

type Visitor = { readonly id: number; readonly quota: number; readonly used_quota: number };

async function ask(origin: string, content = "What does a token cost?"): Promise<Response> {
  return await fetch(`${origin}/api/demo/call`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ content }),
  });
}

async function read<Data>(path: string): Promise<Data | undefined> {
  const answer = await fetch(gateway.origin + path);
  return ((await answer.json()) as { data?: Data }).data;
}

async function readVisitor(): Promise<Visitor> {
  const found = await root.call<Visitor[]>("GET", "/api/user/query?keyword=demo-visitor");
  const [visitor] = found;
  if (visitor === undefined) throw new Error("the demo has no account for visitors");
  return visitor;
}

/** Types of the demo's channels that take chats: OpenAI, Anthropic and Gemini. */
const chatTypes = [1, 14, 24];

test("every model that the demo's channels offer for chats answers, unless it is there to fail", async () => {
  const channels = await root.call<{ name: string; type: number; models: string }[]>(
    "GET",
    "/api/channel/search?keyword=demo",
  );
  const chats = channels.filter(
    ({ name, type }) => chatTypes.includes(type) && name !== "demo-faults",
  );
  const models = chats.flatMap((channel) => channel.models.split(","));
  const key = /authorization: Bearer (sk-\w+)/.exec(gateway.output())?.[1] ?? "";
  const answers = models
    .filter((model) => model !== "demo-embed")
    .map(async (model) => {
      const answer = await fetch(`${gateway.origin}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({
          model,
          max_tokens: 1,
          messages: [{ role: "user", content: "hi" }],
        }),
      });
      return [model, answer.status];
    });
  expect(Object.fromEntries(await Promise.all(answers))).toEqual({
    "demo-chat": 200,
    "demo-fast": 200,
    "demo-gemini": 200,
    "demo-messages": 200,
    "demo-responses": 200,
    "demo-slow": 200,
    "demo-think": 200,
  });
  // Only tasks come beside: no channel of a provider whose answers only tests need.
  expect(channels.map(({ name }) => name).toSorted()).toEqual([
    "demo",
    "demo-doubao",
    "demo-faults",
    "demo-gemini",
    "demo-kling",
    "demo-messages",
    "demo-midjourney",
    "demo-responses",
    "demo-suno",
    "demo-video",
  ]);
});

test("each of the four printed calls, one for each format of clients, is answered as a stream", async () => {
  const lines = gateway.output().matchAll(/curl -sN '(\S+)' -H '([^']+)' -H '[^']+' -d '([^']+)'/g);
  const answers = [...lines].map(async ([, url = "", header = "", body = ""]) => {
    const [name = "", value = ""] = header.split(": ");
    const answer = await fetch(url, { method: "POST", headers: { [name]: value }, body });
    const { pathname } = new URL(url);
    const type = answer.headers.get("content-type")?.split(";")[0];
    const text = await answer.text();
    return [pathname, answer.status, type, text.includes("scripted") && text.includes("demo")];
  });
  const geminiPath = "/v1beta/models/demo-responses:streamGenerateContent";
  expect(await Promise.all(answers)).toEqual([
    ["/v1/chat/completions", 200, "text/event-stream", true],
    ["/v1/responses", 200, "text/event-stream", true],
    ["/v1/messages", 200, "text/event-stream", true],
    [geminiPath, 200, "text/event-stream", true],
  ]);
});

test("a visitor's call streams, is charged to the demo account, and its row adds up to the charge", async () => {
  expect(await read("/api/status")).toMatchObject({ demo_calls_enabled: true });
  const before = await readVisitor();
  const answer = await ask(gateway.origin);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  const text = await answer.text();
  expect(text).toContain('"content":"This"');
  expect(text).toEndWith("data: [DONE]\n\n");

  const requestId = answer.headers.get("x-request-id") ?? "";
  const row = await read<Row>(`/api/demo/calls/${requestId}`);
  if (row === undefined) throw new Error("the call has no row");
  expect(row).toMatchObject({ model_name: "demo-chat", completion_tokens: 40 });
  const { prices } = row.charge;
  const price = unitPrice(prices, row.model_name, row.group);
  if (price === undefined) throw new Error("the model has no price");
  expect(charge(price, chargedUsage.parse(row.charge.usage))).toBe(row.quota);
  // Ratio 1, output twice as much.
  expect(row.quota).toBe(row.prompt_tokens + 2 * 40);

  const after = await readVisitor();
  expect(before.quota - after.quota).toBe(row.quota);
  expect(after.used_quota - before.used_quota).toBe(row.quota);
});

test("while the list is read the demo makes calls itself, and the newest are listed first", async () => {
  const rows = await eventually(
    async () => (await read<Row[]>("/api/demo/calls")) ?? [],
    (found) => found.some(({ model_name }) => model_name === "demo-think"),
    { what: "two calls of the demo" },
  );
  expect(rows.length).toBeLessThanOrEqual(demoCallsMax);
  expect(rows.map(({ id }) => id)).toEqual(rows.map(({ id }) => id).toSorted((a, b) => b - a));
  expect(Object.keys(rows[0] ?? {})).not.toContain("username");
});

test("visitors read no row but those of the demo account", async () => {
  const key = /Bearer (sk-\w+)/.exec(gateway.output())?.[1] ?? "";
  const own = await fetch(`${gateway.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-fast", messages: [{ role: "user", content: "hi" }] }),
  });
  await own.text();
  const requestId = own.headers.get("x-request-id") ?? "";
  const logged = await root.call<{ items: Row[] }>("GET", `/api/log/?request_id=${requestId}`);
  expect(logged.items).toHaveLength(1);
  expect(await read(`/api/demo/calls/${requestId}`)).toBeUndefined();
  const listed = (await read<Row[]>("/api/demo/calls")) ?? [];
  expect(listed.map((row) => row.request_id)).not.toContain(requestId);
});

test("a spent balance refuses visitors with a code, and the next start of the demo fills it up", async () => {
  const { id, quota } = await readVisitor();
  await root.call("PUT", "/api/user/", { id, quota_delta: 1 - quota, reason: "spent" });
  const refused = await ask(gateway.origin);
  expect(refused.status).toBe(403);
  expect(await refused.text()).toContain('"code":"insufficient_user_quota"');

  expect(await gateway.stop("SIGINT")).toBe(0);
  gateway = await startGateway(home, { args: ["--demo"] });
  await eventually(
    async () => gateway.output(),
    (said) => said.includes('"stream":true'),
    { what: "the demo's calls" },
  );
  expect(gateway.output()).not.toContain("could not add");
  root = await signIn(gateway.origin);
  expect((await readVisitor()).quota).toBe(2_500_000);
  expect((await ask(gateway.origin)).status).toBe(200);
});

test("without --demo there is no such call, no such list, and the status says so", async () => {
  expect(await gateway.stop("SIGINT")).toBe(0);
  gateway = await startGateway(home);
  expect((await ask(gateway.origin)).status).toBe(404);
  for (const path of ["", "/20261123000000000aaaaaaaaaaaaaaaa"]) {
    expect((await fetch(`${gateway.origin}/api/demo/calls${path}`)).status).toBe(404);
  }
  expect(await read("/api/status")).toMatchObject({ demo_calls_enabled: false });
});
