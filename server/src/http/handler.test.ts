import { expect, test } from "bun:test";
import { endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { z } from "zod";
import { openByteBudget } from "#base/memory/byte-budget.ts";
import { openLogger } from "#base/logger.ts";
import { openRateLimits } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import { openConsole } from "./edge.ts";
import { handle, type Handler } from "./handler.ts";

const input = z.object({
  name: z.string("名称不能为空"),
  models: z.array(z.string()).optional(),
});

const put = (answer: () => Promise<string>): Handler =>
  handle(
    endpoint({ method: "PUT", path: "/api/thing", access: "public", input, output: z.string() }),
    answer,
  );

async function call(
  handler: Handler,
  sent: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const answer = openConsole({
    handlers: [handler],
    authenticate: async () => ({ kind: "nobody" }),
    requireStepUp: async () => {},
    limits: openRateLimits({ now: () => 0 }),
    budget: openByteBudget(64 * 1024 * 1024),
    requestsPerMinute: () => 0,
    serverAddress: () => "",
    errorText: (message) => message,
    log: openLogger("silent"),
  });
  const request = new Request("https://gateway.test/api/thing", {
    method: "PUT",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(sent),
  });
  return await answer(request, { clientIp: "203.0.113.1", requestId: "request-1" });
}

// A form needs the field's name to show the message beside it, even in a collapsed part.
test("a refusal of invalid input names the first invalid field", async () => {
  const handler = put(async () => "done");

  expect(await (await call(handler, { name: 5 })).json()).toEqual({
    success: false,
    message: "名称不能为空",
    field: "name",
  });
  expect(await (await call(handler, { name: "a", models: ["b", 7] })).json()).toMatchObject({
    field: "models",
  });
});

test("a refusal by a rule names its field, if it has one", async () => {
  const about = put(async () => {
    throw new Refusal("already-exists", "名称已存在", { field: "name" });
  });
  const plain = put(async () => {
    throw new Refusal("not-found", "渠道不存在");
  });

  expect(await (await call(about, { name: "a" })).json()).toEqual({
    success: false,
    message: "名称已存在",
    field: "name",
  });
  expect(await (await call(plain, { name: "a" })).json()).toEqual({
    success: false,
    message: "渠道不存在",
  });
});

test("a long answer is compressed for clients that accept it, a short one never", async () => {
  const text = "日志".repeat(1_000);
  const answerOf = async (data: string, accepted?: string) =>
    await call(
      put(async () => data),
      { name: "a" },
      accepted === undefined ? {} : { "accept-encoding": accepted },
    );

  const compressed = await answerOf(text, "gzip, br");
  expect(compressed.headers.get("content-encoding")).toBe("gzip");
  expect(compressed.headers.get("vary")).toBe("accept-encoding");
  const bytes = await compressed.arrayBuffer();
  expect(bytes.byteLength).toBeLessThan(text.length);
  expect(JSON.parse(new TextDecoder().decode(Bun.gunzipSync(bytes)))).toMatchObject({ data: text });

  for (const answer of [await answerOf(text), await answerOf(text, "br, gzip;q=0")]) {
    expect(answer.headers.get("content-encoding")).toBeNull();
    expect(await answer.json()).toMatchObject({ data: text });
  }
  expect((await answerOf("short", "gzip")).headers.get("content-encoding")).toBeNull();
});
