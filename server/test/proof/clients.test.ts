import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Log } from "@tollgate/contract/endpoints/logs.ts";
import OpenAI, {
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "openai";
import { balanceOf, eventually, readLogs, readSelf } from "./ledger.ts";
import { lastCallId, untilCalled } from "./demo-process.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";

const opening = 1_000_000;

/** An answer of 20 tokens to a prompt of 17 costs (17 + 20 × 3) × 2 = 154 quota units. */
const model = "sdk-chat";
const chatCharge = 154;
const script = { promptTokens: 17, events: 20 };
const prices = { ratio: 2, completionRatio: 3 };

const models = [
  { name: model, script, ...prices },
  { name: "sdk-slow", script: { ...script, eventDelayMs: 50 }, ...prices },
  { name: "sdk-embed", script: { promptTokens: 9 }, ratio: 4 },
  { name: "sdk-400", script: { status: 400 }, ratio: 1 },
  { name: "sdk-429", script: { status: 429 }, ratio: 1 },
  { name: "sdk-500", script: { status: 500 }, ratio: 1 },
];
const messages = [{ role: "user" as const, content: "hello" }];

let place: Installation;
let spender: Spender;
let sdk: OpenAI;

beforeAll(async () => {
  place = await openInstallation("sqlite", { models });
  spender = await addSpender(place, opening);
  sdk = openSdk(spender.key);
});
afterAll(async () => await place.close());

function openSdk(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${place.origin}/v1`, maxRetries: 0 });
}

let lastLogId = 0;

/** Waits for the log row of the last charged call, and expects no other new row. */
async function newRow(): Promise<Log> {
  const rows = await eventually(
    () => readLogs(place.root, { type: 2, afterId: lastLogId }),
    (found) => found.length > 0,
    { what: "the log row of a call" },
  );
  expect(rows.length).toBe(1);
  const [row] = rows;
  if (row === undefined) throw new Error("no row");
  lastLogId = row.id;
  return row;
}

async function expectCharge(charge: number, tokens: readonly [number, number]): Promise<void> {
  const row = await newRow();
  expect(row.quota).toBe(charge);
  expect([row.prompt_tokens, row.completion_tokens]).toEqual([...tokens]);
  expect(row.user_id).toBe(spender.client.userId);
  const { quota, used_quota } = await readSelf(spender.client);
  expect(quota).toBe(opening - used_quota);
}

async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("the call was served");
}

/**
 * Expects that the call fails with an error of this class, status and code.
 *
 * @param Kind the class that users of the SDK catch.
 */
async function expectError<Kind extends Error & { status?: unknown; code?: unknown }>(
  call: Promise<unknown>,
  Kind: new (...args: never[]) => Kind,
  { status, code }: { status: number; code: string },
): Promise<Kind> {
  const error = await refusalOf(call);
  expect(error).toBeInstanceOf(Kind);
  // Safe cast: the class was checked above.
  const known = error as Kind;
  expect(known.status).toBe(status);
  expect(known.code).toBe(code);
  return known;
}

test("a chat completion arrives whole and is charged by the formula", async () => {
  const answer = await sdk.chat.completions.create({ model, messages });
  expect(answer.choices[0]?.message.content?.split(" ").length).toBe(20);
  expect(answer.usage?.total_tokens).toBe(37);
  await expectCharge(chatCharge, [17, 20]);
});

test("a stream has a chunk with usage if the client asked for it, and none otherwise", async () => {
  const asked = await sdk.chat.completions.create({
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = await Array.fromAsync(asked);
  expect(chunks.at(-1)?.usage?.completion_tokens).toBe(20);
  expect(chunks.at(-1)?.choices).toEqual([]);
  await expectCharge(chatCharge, [17, 20]);

  const unasked = await sdk.chat.completions.create({ model, messages, stream: true });
  const bare = await Array.fromAsync(unasked);
  expect(bare.every((chunk) => chunk.choices.length > 0 && !chunk.usage)).toBe(true);
  const text = bare.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
  expect(text.split(" ").length).toBe(20);
  await expectCharge(chatCharge, [17, 20]);
});

test("a tool call arrives with its arguments, streamed and not", async () => {
  const parameters = { type: "object", properties: { city: { type: "string" } } };
  const request = {
    model,
    messages: [{ role: "user" as const, content: "use the tool" }],
    tools: [{ type: "function" as const, function: { name: "weather", parameters } }],
  };
  const answer = await sdk.chat.completions.create(request);
  const call = answer.choices[0]?.message.tool_calls?.[0];
  expect(call?.type === "function" && call.function).toEqual({
    name: "weather",
    arguments: '{"city":"demo"}',
  });
  expect(answer.choices[0]?.finish_reason).toBe("tool_calls");
  // The tool call has one token for the name and two for its fifteen characters of arguments: (17 +
  // 3 × 3) × 2 = 52 quota units.
  await expectCharge(52, [17, 3]);

  const stream = sdk.chat.completions.stream(request);
  const streamed = (await stream.finalChatCompletion()).choices[0]?.message.tool_calls?.[0];
  expect(streamed?.type === "function" && streamed.function.arguments).toBe('{"city":"demo"}');
  await expectCharge(52, [17, 3]);
});

test("embeddings arrive in the SDK's default encoding, and only their input is charged", async () => {
  const answer = await sdk.embeddings.create({ model: "sdk-embed", input: ["one", "two"] });
  expect(answer.data.length).toBe(2);
  expect(answer.data[0]?.embedding.length).toBe(256);
  expect(answer.data[0]?.embedding.every((value) => Math.abs(value) <= 1)).toBe(true);
  await expectCharge(36, [9, 0]); // Nine tokens at 4 units each
});

test("embeddings of nothing are refused by the element's name", async () => {
  for (const input of [
    ["one", ""],
    [[1], []],
  ] as string[][]) {
    const asked = sdk.embeddings.create({ model: "sdk-embed", input });
    expect(await asked.catch((error: unknown) => error)).toMatchObject({
      status: 400,
      code: "invalid_embedding_request",
      param: "input[1]",
    });
  }
});

test("plain completions are served, streamed and not", async () => {
  const answer = await sdk.completions.create({ model, prompt: "hello" });
  expect(answer.choices[0]?.text.split(" ").length).toBe(20);
  await expectCharge(chatCharge, [17, 20]);
  const stream = await sdk.completions.create({ model, prompt: "hello", stream: true });
  const chunks = await Array.fromAsync(stream);
  expect(
    chunks
      .map((chunk) => chunk.choices[0]?.text ?? "")
      .join("")
      .split(" ").length,
  ).toBe(20);
  await expectCharge(chatCharge, [17, 20]);
});

test("models are listed and found by name", async () => {
  const listed = await Array.fromAsync(sdk.models.list());
  expect(listed.map(({ id }) => id).toSorted()).toEqual(models.map(({ name }) => name).toSorted());
  expect((await sdk.models.retrieve("sdk-embed")).id).toBe("sdk-embed");
});

test("each refusal becomes the SDK's error class for its status, and is free", async () => {
  const before = await balanceOf(spender.client);
  const ask = (client: OpenAI, name: string) =>
    client.chat.completions.create({ model: name, messages });
  const wrongKey = openSdk(`sk-${"0".repeat(48)}`);
  await expectError(ask(wrongKey, model), AuthenticationError, {
    status: 401,
    code: "invalid_api_key",
  });
  await expectError(ask(sdk, "nobody-has-this"), NotFoundError, {
    status: 404,
    code: "model_not_found",
  });
  const poor = openSdk((await addSpender(place, 5)).key);
  await expectError(ask(poor, model), PermissionDeniedError, {
    status: 403,
    code: "insufficient_user_quota",
  });
  const told = await expectError(ask(sdk, "sdk-400"), BadRequestError, {
    status: 400,
    code: "bad_response_status_code",
  });
  expect(told.message).toContain("Scripted failure of the demo upstream (status 400)");
  await expectError(ask(sdk, "sdk-429"), RateLimitError, {
    status: 429,
    code: "rate_limit_exceeded",
  });
  await expectError(ask(sdk, "sdk-500"), InternalServerError, {
    status: 500,
    code: "bad_response_status_code",
  });
  expect(await balanceOf(spender.client)).toBe(before);
  expect(await readLogs(place.root, { type: 2, afterId: lastLogId })).toEqual([]);
});

test("an aborted stream is charged by the usage that its upstream reports afterwards", async () => {
  const stream = await sdk.chat.completions.create({ model: "sdk-slow", messages, stream: true });
  let chunks = 0;
  for await (const chunk of stream) {
    expect(chunk.id).toBeString();
    chunks += 1;
    if (chunks === 3) stream.controller.abort();
  }
  expect(chunks).toBeLessThan(20);
  await expectCharge(chatCharge, [17, 20]);

  const controller = new AbortController();
  const afterId = await lastCallId(place.demo);
  const call = sdk.chat.completions.create(
    { model: "sdk-slow", messages },
    { signal: controller.signal },
  );
  const refused = refusalOf(call);
  await untilCalled(place.demo, { count: 1, afterId });
  controller.abort();
  expect(await refused).toBeInstanceOf(APIUserAbortError);
  await expectCharge(chatCharge, [17, 20]);
});
