import { afterAll, expect, test } from "bun:test";
import OpenAI, { APIError } from "openai";
import type { ChatCompletionTool } from "openai/resources/chat/completions";
import { startDemoUpstream } from "@tollgate/demo/demo-upstream.ts";
import { callRaw, eventually, readMessage, scripted, streamText } from "./client.ts";

const upstream = startDemoUpstream();
afterAll(() => upstream.stop());

const client = new OpenAI({
  apiKey: "sk-any-key",
  baseURL: `${upstream.url}/some/prefix/v1`,
  maxRetries: 0,
});
const question = [{ role: "user", content: "What is the weather like?" }] as const;

const weather: ChatCompletionTool = {
  type: "function",
  function: {
    name: "find_weather",
    parameters: {
      type: "object",
      properties: {
        city: { type: "string" },
        days: { type: "integer" },
        unit: { type: "string", enum: ["celsius", "fahrenheit"] },
      },
    },
  },
};

test("a whole answer has the script's words, counts and finish reasons", async () => {
  const { data, response } = await client.chat.completions
    .create({ model: "demo-fast", messages: [...question] })
    .withResponse();

  expect(data.object).toBe("chat.completion");
  expect(data.choices).toHaveLength(1);
  expect(data.choices[0]?.finish_reason).toBe("stop");
  expect(data.choices[0]?.message).toMatchObject({ role: "assistant", refusal: null });
  expect(data.choices[0]?.message.content?.split(" ")).toHaveLength(40);
  expect(data.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 40, total_tokens: 47 });
  expect(data.choices[0]?.message.content).toContain("scripted answer");
  expect(response.headers.get("server")).toContain("scripted");
});

test("a stream has the same words as the whole answer, and usage only on request", async () => {
  const whole = await client.chat.completions.create({
    model: "demo-fast",
    messages: [...question],
  });
  for (const includeUsage of [true, false]) {
    const stream = await client.chat.completions.create({
      model: "demo-fast",
      messages: [...question],
      stream: true,
      ...(includeUsage ? { stream_options: { include_usage: true } } : {}),
    });
    let text = "";
    let pieces = 0;
    const usages: unknown[] = [];
    const finishes: unknown[] = [];
    for await (const { choices, usage } of stream) {
      const [choice] = choices;
      text += choice?.delta.content ?? "";
      if (choice?.delta.content) pieces += 1;
      if (choice?.finish_reason) finishes.push(choice.finish_reason);
      if (usage) usages.push(usage);
    }

    expect(text).toBe(whole.choices[0]?.message.content ?? "");
    expect(pieces).toBe(40);
    expect(finishes).toEqual(["stop"]);
    expect(usages).toEqual(includeUsage ? [whole.usage] : []);
  }
});

test("an answer that is held goes on when its model is released, and not before", async () => {
  for (const [hold, last] of [
    ["head", ""],
    [2, "w1"],
    ["before-usage", '"finish_reason":"stop"'],
    ["before-done", '"usage":{'],
  ] as const) {
    const model = `held-${hold}`;
    const put = (path: string, method: string, body?: string) =>
      fetch(`${upstream.url}/__demo/${path}/${model}`, { method, ...(body ? { body } : {}) });
    await put("scripts", "PUT", JSON.stringify({ hold, events: 4, piece: "w1" }));
    let text = "";
    const answering = callRaw(upstream.url, {
      body: {
        model,
        messages: question,
        stream: true,
        stream_options: { include_usage: true },
      },
      until(bytes) {
        text = bytes.toString();
        return false;
      },
    });
    await eventually(() => upstream.account().calls.some((call) => call.model === model));
    await eventually(() => text.includes(last));
    // Nothing more may arrive. No event reports that nothing comes, so the test waits for a fixed
    // time.
    await Bun.sleep(50);
    expect([hold, text.includes("[DONE]")]).toEqual([hold, false]);
    expect([hold, text.split('"content":"w1"').length - 1]).toEqual([
      hold,
      hold === "head" ? 0 : hold === 2 ? 2 : 4,
    ]);
    expect((await put("release", "POST")).status).toBe(200);
    expect(streamText(await answering)).toEndWith("data: [DONE]\n\n");
    await put("scripts", "DELETE");
  }
});

test("n and max_tokens are honoured in both kinds of answer", async () => {
  const body = { model: "demo-fast", messages: [...question], n: 3, max_tokens: 5 };
  const whole = await client.chat.completions.create(body);

  expect(whole.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
  expect(new Set(whole.choices.map(({ finish_reason }) => finish_reason))).toEqual(
    new Set(["length"]),
  );
  expect(whole.choices[2]?.message.content).toBe("This is a scripted answer");
  expect(whole.usage?.completion_tokens).toBe(15);

  const stream = client.chat.completions.stream(body);
  const final = await stream.finalChatCompletion();
  expect(final.choices.map(({ message }) => message.content)).toEqual(
    whole.choices.map(({ message }) => message.content),
  );
});

test("a user who asks for it gets a tool call, and after its result an answer in words", async () => {
  const messages = [{ role: "user" as const, content: "Please use the tool now." }];
  const whole = await client.chat.completions.create({
    model: "demo-fast",
    messages,
    tools: [weather],
  });
  const message = whole.choices[0]?.message;
  const call = message?.tool_calls?.[0];

  expect(whole.choices[0]?.finish_reason).toBe("tool_calls");
  expect(message?.content).toBeNull();
  expect(call).toMatchObject({ type: "function", function: { name: "find_weather" } });
  const args = call?.type === "function" ? call.function.arguments : "";
  expect(JSON.parse(args)).toEqual({ city: "demo", days: 1, unit: "celsius" });
  expect(whole.usage?.completion_tokens).toBe(1 + Math.ceil(args.length / 8));

  const streamed = await client.chat.completions
    .stream({ model: "demo-fast", messages, tools: [weather] })
    .finalChatCompletion();
  expect(streamed.choices[0]?.finish_reason).toBe("tool_calls");
  expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({
    function: { name: "find_weather", arguments: args },
  });

  const after = await client.chat.completions.create({
    model: "demo-fast",
    messages: [
      ...messages,
      { role: "assistant", content: null, ...(message ? { tool_calls: message.tool_calls } : {}) },
      { role: "tool", tool_call_id: call?.id ?? "", content: "rain" },
    ],
    tools: [weather],
  });
  expect(after.choices[0]?.finish_reason).toBe("stop");
});

test("tools are not called unless requested", async () => {
  const answer = await client.chat.completions.create({
    model: "demo-fast",
    messages: [...question],
    tools: [weather],
  });
  expect(answer.choices[0]?.message.tool_calls).toBeUndefined();

  const demanded = await client.chat.completions.create({
    model: "demo-fast",
    messages: [...question],
    tools: [weather],
    tool_choice: "required",
  });
  expect(demanded.choices[0]?.message.tool_calls).toHaveLength(1);
});

test("demo-think reasons before it answers, and counts reasoning as output", async () => {
  const answer = await client.chat.completions.create({
    model: "demo-think",
    messages: [...question],
  });

  expect(answer.choices[0]?.message).toHaveProperty("reasoning_content");
  expect(answer.usage).toMatchObject({
    completion_tokens: 52,
    completion_tokens_details: { reasoning_tokens: 12 },
  });
});

test("text completions answer each prompt, streamed and whole", async () => {
  const body = { model: "demo-fast", prompt: ["one", "two"], max_tokens: 2 };
  const whole = await client.completions.create(body);

  expect(whole.choices.map(({ text }) => text)).toEqual(["This is", "This is"]);
  expect(whole.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 4 });

  const texts = ["", ""];
  const stream = await client.completions.create({ ...body, stream: true });
  for await (const { choices } of stream) {
    for (const { index, text } of choices) texts[index] += text;
  }
  expect(texts).toEqual(["This is", "This is"]);
});

test("an embedding is the same unit vector as floats and as base64", async () => {
  const body = { model: "demo-embed", input: ["one", "two", "one"], dimensions: 8 };
  const floats = await client.embeddings.create({ ...body, encoding_format: "float" });
  const base64 = await client.embeddings.create(body); // the SDK requests base64 and decodes it
  const [one, two, again] = floats.data.map(({ embedding }) => embedding);

  expect(base64.data.map(({ embedding }) => [...embedding])).toEqual(
    floats.data.map(({ embedding }) => [...embedding]),
  );
  expect(one).toHaveLength(8);
  expect(again).toEqual(one ?? []);
  expect(two).not.toEqual(one ?? []);
  expect(Math.hypot(...(one ?? []))).toBeCloseTo(1, 5);
  expect(floats.usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
});

test("models with a script are listed, others do not exist", async () => {
  const listed: string[] = [];
  for await (const { id } of client.models.list()) listed.push(id);

  expect(listed).toEqual([
    "demo-chat",
    "demo-cut",
    "demo-embed",
    "demo-error",
    "demo-error-first",
    "demo-error-midway",
    "demo-fast",
    "demo-gemini",
    "demo-late-arguments",
    "demo-limited",
    "demo-messages",
    "demo-responses",
    "demo-silent",
    "demo-slow",
    "demo-slow-start",
    "demo-think",
    "demo-wrong-usage",
  ]);
  expect(await client.models.retrieve("demo-chat")).toMatchObject({ object: "model" });
  const unknown = client.chat.completions.create({ model: "demo-none", messages: [...question] });
  expect(await failureOf(unknown)).toMatchObject({ status: 404, code: "model_not_found" });
});

test("demo-error fails, and a refused key comes back quoted in full", async () => {
  const failing = client.chat.completions.create({ model: "demo-error", messages: [...question] });
  expect(await failureOf(failing)).toMatchObject({ status: 500, type: "server_error" });

  const refused = client.withOptions({ apiKey: "sk-demo-bad" }).chat.completions.create({
    model: "demo-fast",
    messages: [...question],
  });
  const failure = await failureOf(refused);
  expect(failure).toMatchObject({ status: 401, code: "invalid_api_key" });
  expect(failure?.message).toContain("sk-demo-bad");
});

test("a call without a key, or with an invalid body, is refused with the reason", async () => {
  const url = `${upstream.url}/v1/chat/completions`;
  const keyless = await fetch(url, { method: "POST", body: "{}" });
  expect(keyless.status).toBe(401);
  expect((await fetch(`${upstream.url}/v1/models`)).status).toBe(401);

  const headers = { authorization: "Bearer sk-x" };
  for (const [body, param] of [
    ["{", null],
    ["{}", "model"],
    [{ model: "demo-fast", messages: [] }, "messages"],
    [{ model: "demo-fast", messages: question, n: 129 }, "n"],
    [{ model: "demo-fast", messages: question, max_tokens: 0 }, "max_tokens"],
    [{ model: "demo-fast", messages: question, max_tokens: 1.5 }, "max_tokens"],
    [scripted({}, { user: "demo:{" }), "user"],
    [scripted({}, { user: 'demo:{"evnts":1}' }), "user"],
    [scripted({}, { user: 'demo:{"events":-1}' }), "user"],
  ] as const) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await fetch(url, { method: "POST", headers, body: text });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { type: "invalid_request_error", param } });
  }
});

// Small answers are cached as text; they must have the same bytes as answers made step by step.
test("an answer sent at once has the same bytes as one made step by step", async () => {
  for (const more of [
    {},
    { stream: true },
    { stream: true, stream_options: { include_usage: true }, n: 2 },
    { stream: true, max_tokens: 3 },
  ]) {
    const fast = { ...scripted({ reasoningEvents: 2 }, more) };
    const slow = { ...scripted({ reasoningEvents: 2, headDelayMs: 1 }, more) };
    const answers = [fast, fast, slow].map((body) => callRaw(upstream.url, { body }));
    const texts = (await Promise.all(answers)).map(({ bytes }) => bytes.toString("utf8"));
    const [first, kept, steps] = texts.map((text) => text.replace(ids, "").replace(times, ""));

    expect(first).toBe(steps ?? "");
    expect(kept).toBe(steps ?? "");
    const seen = texts.map((text) => [...new Set(text.match(ids))]);
    expect(seen.map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(new Set(seen.flat()).size).toBe(3);
  }
});

test("a stream to a client of HTTP/1.0 has no chunks and ends with the connection", async () => {
  const answer = await callRaw(upstream.url, {
    body: scripted({ events: 2 }, { stream: true }),
    head: "POST /v1/chat/completions HTTP/1.0",
  });

  expect(answer.end).toBe("fin");
  expect(streamText(answer)).toBe("");
  expect(readMessage(answer.bytes).body.toString()).toEndWith("data: [DONE]\n\n");
});

/** Matches the ids of answers, which differ from call to call. */
const ids = /demo[0-9a-z]{14,}/g;
const times = /"created":\d+/g;

async function failureOf(call: Promise<unknown>): Promise<APIError | undefined> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  return error instanceof APIError ? error : undefined;
}
