import { afterEach, expect, spyOn, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import { ClientExchange } from "#http/exchange.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import {
  openTestRelay,
  testChannel,
  testKey,
  type TestRelay,
  type TestRelayOptions,
} from "./testing/relay.ts";
import { textsOf } from "./testing/log-texts.ts";
import { type Answerer, jsonAnswer, startUpstream } from "#network/testing/upstream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/**
 * Opens a relay with one channel for each answerer, of falling priority, so that channels are tried
 * in this order.
 */
async function open(
  given: Omit<TestRelayOptions, "channels"> & { readonly channel?: Partial<ChannelView> },
  ...answerers: readonly Answerer[]
): Promise<{
  readonly relay: TestRelay;
  counts(): readonly number[];
  sent(): readonly string[];
}> {
  const upstreams = await Promise.all(answerers.map((answerer) => startUpstream(answerer)));
  const channels = upstreams.map(({ url }, index) =>
    testChannel({ id: index + 1, baseUrl: url, priority: -index, ...given.channel }),
  );
  const relay = openTestRelay({ ...given, channels });
  stops.push(relay.stop, ...upstreams.map(({ stop }) => stop));
  return {
    relay,
    counts: () => upstreams.map(({ requests }) => requests.length),
    sent: () => upstreams.flatMap(({ requests }) => requests),
  };
}

const completion = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: "Hello there!" } }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});
const good: Answerer = (socket) => socket.write(jsonAnswer(completion));
const status =
  (line: string, error: object = { message: "no" }, head = ""): Answerer =>
  (socket) =>
    socket.write(jsonAnswer(JSON.stringify({ error }), line).replace("\r\n", `\r\n${head}`));

async function post(relay: TestRelay, key = testKey, content = "hi") {
  const response = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

function usedChannels(relay: TestRelay): unknown {
  return (relay.money.settled[0]?.log ?? relay.failures[0])?.tried;
}

test("each attempt is counted at its channel, with how it ended", async () => {
  const { relay } = await open({}, status("500 Oops"), status("401 No"), good);
  expect((await post(relay)).status).toBe(200);
  expect(relay.attempts).toEqual([
    "1 m http-500",
    "2 m http-401, a retry",
    "3 m answered in time, a retry",
  ]);
});

test("a large body is sent to each channel that is tried, and freed when one has answered", async () => {
  const freed = spyOn(ClientExchange.prototype, "freeBody");
  stops.push(async () => freed.mockRestore());
  const content = "word ".repeat(20_000);
  const { relay, sent } = await open({}, status("500 Oops"), good);
  expect((await post(relay, testKey, content)).status).toBe(200);
  expect(sent().map((request) => request.includes(content))).toEqual([true, true]);
  expect(freed.mock.calls.map(([body]) => body.length)).toEqual([0]);

  // Without the upstream's count the tokenizer reads the body, and may do so later.
  const uncounted = jsonAnswer(JSON.stringify({ ...JSON.parse(completion), usage: undefined }));
  const other = await open({}, (socket) => socket.write(uncounted));
  expect((await post(other.relay, testKey, content)).status).toBe(200);
  expect(freed.mock.calls).toHaveLength(1);
});

test("a fault of one channel is retried on the next, and charged once", async () => {
  const faults: Record<string, Answerer> = {
    408: status("408 Request Timeout"),
    429: status("429 Too Many Requests"),
    500: status("500 Oops"),
    529: status("529 Overloaded"),
    401: status("401 Unauthorized", { message: "wrong key", code: "invalid_api_key" }),
    403: status("403 Forbidden"),
    "404 model": status("404 Not Found", { code: "model_not_found", message: "no such model" }),
    redirect: status("302 Found", {}, "location: http://127.0.0.1:1/\r\n"),
    reset: (socket) => socket.resetAndDestroy(),
    "error in a 200": status("200 OK", { message: "overloaded" }),
    "a page": (socket) => socket.write(jsonAnswer("<html>Welcome</html>")),
    "nothing in a 200": (socket) => socket.write(jsonAnswer("")),
    "no answer in a 200": (socket) => socket.write(jsonAnswer('{"hello":1}')),
    204: (socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n"),
  };
  for (const [name, fault] of Object.entries(faults)) {
    const { relay, counts } = await open({}, fault, good);
    const answer = await post(relay);

    expect([name, answer.status, answer.text]).toEqual([name, 200, completion]);
    expect([name, counts(), usedChannels(relay)]).toEqual([name, [1, 1], [1, 2]]);
    expect(relay.money.settled.map(({ charge }) => charge)).toEqual([60]);
  }
});

test("the client's own mistake is answered at once, in the upstream's words", async () => {
  const error = { message: "max_tokens is too large", type: "invalid_request_error", code: "big" };
  for (const line of ["400 Bad Request", "413 Too Large", "422 Unprocessable"]) {
    const { relay, counts } = await open({}, status(line, error), good);
    const answer = await post(relay);

    expect(answer.status).toBe(Number(line.slice(0, 3)));
    expect(JSON.parse(answer.text).error).toMatchObject({ type: error.type, code: error.code });
    expect(answer.text).toContain("max_tokens is too large (request id: ");
    expect(counts()).toEqual([1, 0]);
  }
});

test("when the retries are used up, the last fault is the answer", async () => {
  const bad = status("503 Busy");
  const three = await open({}, bad, bad, bad, good);
  expect((await post(three.relay)).status).toBe(503);
  expect(three.counts()).toEqual([1, 1, 1, 0]);

  const none = await open({ options: { retryTimes: 0 } }, bad, good);
  expect((await post(none.relay)).status).toBe(503);
  expect(none.counts()).toEqual([1, 0]);
});

test("a channel named by an administrator is the only one tried", async () => {
  const { relay, counts } = await open({ user: { role: 10 } }, status("500 Oops"), good);

  expect((await post(relay, `${testKey}-1`)).status).toBe(500);
  expect(counts()).toEqual([1, 0]);
  expect((await post(relay, `${testKey}-2`)).status).toBe(200);
});

test("a channel with two keys tries the other one when there is no other channel", async () => {
  const keys: string[] = [];
  const { relay } = await open(
    { channel: { keys: ["key-one-1", "key-two-2"] } },
    (socket, request) => {
      keys.push(/Bearer (\S+)/.exec(request)?.[1] ?? "");
      (keys.length === 1 ? status("401 Unauthorized") : good)(socket, request, 1);
    },
  );

  expect((await post(relay)).status).toBe(200);
  expect(keys).toEqual(["key-one-1", "key-two-2"]);
  expect(relay.disabled.map(({ key }) => key)).toEqual(["key-one-1"]);
});

test("the channel's status mapping decides how a status is judged and shown", async () => {
  const statusCodeMapping = new Map([
    [400, 500],
    [418, 429],
    [500, 400],
  ]);
  const channel = { statusCodeMapping };
  const harder = await open({ channel }, status("400 Bad Request"), good);
  expect((await post(harder.relay)).status).toBe(200);
  expect(harder.counts()).toEqual([1, 1]);

  const softer = await open({ channel }, status("500 Oops"), good);
  expect((await post(softer.relay)).status).toBe(400);
  expect(softer.counts()).toEqual([1, 0]);

  const busy = await open({ channel, options: { retryTimes: 0 } }, status("418 Teapot"));
  expect((await post(busy.relay)).status).toBe(429);
});

test("P-U3: no key, host or markup of the upstream reaches the client", async () => {
  const words =
    "Incorrect key sk-upstream-secret-1 at http://10.1.2.3:8080/v1 (api.vendor.com), " +
    "org-AbC123xyz9, sk-ab****wxyz, 10.9.8.7:443, [2001:db8::1]:443; see <b>docs</b>";
  const message = `${words} ${"x".repeat(9_000)}`;
  for (const line of ["400 Bad Request", "401 Unauthorized", "500 Oops", "200 OK"]) {
    const error = { message, type: "sk-upstream-secret-1", code: "http://10.1.2.3/" };
    const { relay } = await open({ options: { retryTimes: 0 } }, status(line, error));
    const { text } = await post(relay);

    expect(Buffer.byteLength(text)).toBeLessThan(4_096);
    for (const leak of ["upstream-secret", "10.1.2.3", "vendor", "AbC123", "wxyz", "<b>", "2001"]) {
      expect(text).not.toContain(leak);
    }
    expect(JSON.parse(text).error.message).toContain("request id: ");
    expect(JSON.stringify(relay.failures)).not.toContain("upstream-secret");
  }
});

test("a channel that asks for a pause is skipped for that long, others are not", async () => {
  const { relay, counts } = await open(
    { options: { retryTimes: 0 } },
    status("429 Too Many Requests", {}, "retry-after: 30\r\n"),
    good,
  );
  const first = await post(relay);
  expect(first.status).toBe(429);
  expect(first.headers.get("retry-after")).toBe("30");
  expect(first.text).toContain("当前分组上游负载已饱和，请稍后再试");

  for (let count = 0; count < 3; count += 1) expect((await post(relay)).status).toBe(200);
  expect(counts()).toEqual([1, 3]);
  relay.skipMs += 31_000;
  await post(relay);
  expect(counts()).toEqual([2, 3]);
});

test("P-U8: a channel that fails every second call costs hardly any client its answer", async () => {
  let calls = 0;
  const flapping: Answerer = (socket, request, count) => {
    calls += 1;
    (calls % 2 === 0 ? good : status("500 Oops"))(socket, request, count);
  };
  const { relay, counts } = await open({ channel: { priority: 0 } }, flapping, good);
  const statuses = new Map<number, number>();
  for (let count = 0; count < 400; count += 1) {
    const { status: got } = await post(relay);
    statuses.set(got, (statuses.get(got) ?? 0) + 1);
  }

  expect(statuses.get(200) ?? 0).toBeGreaterThanOrEqual(396);
  const [bad = 0, sound = 0] = counts();
  expect(bad).toBeLessThan(60);
  expect(bad + sound - 400).toBeLessThanOrEqual(40);
});

test("a key that the provider refuses disables its channel, unless the channel is exempt", async () => {
  const refusals: [Answerer, string][] = [
    [status("401 Unauthorized"), "上游拒绝了该密钥 (401)：no"],
    [
      status("429 Too Many", { code: "insufficient_quota", message: "pay" }),
      "上游账户余额不足 (429)：pay",
    ],
    [
      status("403 Forbidden", { type: "permission_error", message: "no" }),
      "上游不允许该密钥这样使用 (403)：no",
    ],
  ];
  for (const [refusal, reason] of refusals) {
    const { relay } = await open({ options: { retryTimes: 0 } }, refusal);
    await post(relay);
    expect(relay.disabled).toEqual([{ channelId: 1, key: "sk-upstream-secret-1", reason }]);

    const exempt = await open({ channel: { autoBan: false } }, refusal);
    await post(exempt.relay);
    expect(exempt.relay.disabled).toEqual([]);
    const off = await open({ options: { automaticDisable: false } }, refusal);
    await post(off.relay);
    expect(off.relay.disabled).toEqual([]);
  }
});

// The upstream may have read the call, so it is not asked twice.
test("W1: a call that a kept connection swallowed is a failed attempt, and goes to the next channel", async () => {
  let closes: (() => void) | null = null;
  const swallowing: Answerer = (socket, _request, count) => {
    if (count === 1) socket.write(jsonAnswer(completion));
    else closes = () => socket.end();
  };
  const { relay, counts } = await open({}, swallowing, good);
  await post(relay);
  const second = post(relay);
  await eventually(() => closes !== null);
  relay.skipMs += 101;
  (closes as (() => void) | null)?.();

  expect((await second).status).toBe(200);
  expect(counts()).toEqual([2, 1]);
  expect(relay.money.settled[1]?.log.tried).toEqual([1, 2]);
});

test("W8: the log says for root why the last channel gave no answer, and the client is not told", async () => {
  for (const [fault, words] of [
    [(socket) => socket.destroy(), "上游没有应答就断开了连接"],
    [(socket) => socket.end("nonsense\r\n\r\n"), "上游的应答不是有效的 HTTP"],
    [status("500 Oops"), ""],
  ] as const satisfies readonly (readonly [Answerer, string])[]) {
    const { relay } = await open({ options: { retryTimes: 0 } }, fault);
    const { text } = await post(relay);

    expect(relay.failures[0]?.fault).toStartWith(words);
    if (words !== "") expect(text).not.toContain(words);
    const { admin_info: shown } = textsOf(relay.failures[0]).other;
    expect(shown.fault ?? "").toBe(relay.failures[0]?.fault);
  }
});

test("W5: a limit of the upstream is a limit, however its error is packed", async () => {
  for (const coding of ["gzip", "zstd"]) {
    const limit = status("429 Too Many Requests", {}, `content-encoding: ${coding}\r\n`);
    const { relay } = await open({ options: { retryTimes: 0 } }, limit);

    expect((await post(relay)).status).toBe(429);
  }
});

test("a keyword in an upstream's error makes a channel suspect, but does not disable it", async () => {
  // A client can make the upstream quote any text, such as its own prompt.
  const quoting = status("400 Bad", { message: "invalid content: 'Your Credit Balance too low'" });
  const { relay } = await open({ options: { retryTimes: 0 } }, quoting);
  await post(relay);
  expect(relay.disabled).toEqual([]);
  expect(relay.suspected).toEqual([
    { channelId: 1, reason: expect.stringContaining("Credit Balance") },
  ]);
  const exempt = await open({ channel: { autoBan: false } }, quoting);
  await post(exempt.relay);
  expect(exempt.relay.suspected).toEqual([]);
});

test("a model that nobody offers is not found, and holds nothing", async () => {
  const { relay } = await open({}, good);
  const response = await fetch(`${relay.url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: testKey },
    body: JSON.stringify({ model: "nobody-has-it", input: "x" }),
  });

  expect(response.status).toBe(404);
  expect(relay.money.held).toBe(0);
});

test("a model that no upstream has is answered in the upstream's words", async () => {
  const error = { message: "The model `m` does not exist", type: "", code: "model_not_found" };
  const missing = status("404 Not Found", error);
  const { relay, counts } = await open({}, missing, missing);

  const answer = await post(relay);

  expect(answer.status).toBe(404);
  expect(answer.text).toContain("The model `m` does not exist");
  expect(counts()).toEqual([1, 1]);
});
