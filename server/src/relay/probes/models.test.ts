import { afterEach, expect, test } from "bun:test";
import { createServer } from "node:net";
import { openAddressBook } from "#network/address-book.ts";
import { openTicker } from "#network/ticker.ts";
import { type Answerer, jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openTransport } from "#network/transport.ts";
import { testChannel } from "#relay/testing/relay.ts";
import { listUpstreamModels } from "./models.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const ticker = openTicker(() => performance.now());
const addresses = openAddressBook({
  allows: () => true,
  resolve: async () => [],
  nowMs: ticker.nowMs,
});
const transport = openTransport({ addresses, ticker });

async function open(answer: Answerer) {
  const upstream = await startUpstream(answer);
  stops.push(upstream.stop);
  return { channel: testChannel({ baseUrl: upstream.url }), upstream };
}

test("an upstream's model list is read with the channel's key, within limits", async () => {
  const long = "x".repeat(300);
  const list = JSON.stringify({ data: [{ id: "a" }, { id: long }, { id: 5 }, null, { id: "b" }] });
  const { channel, upstream } = await open((socket) => socket.write(jsonAnswer(list)));

  expect(await listUpstreamModels(transport, channel)).toEqual({ ok: true, models: ["a", "b"] });
  expect(upstream.requests[0]).toStartWith("GET /v1/models HTTP/1.1\r\n");
  expect(upstream.requests[0]).toContain("authorization: Bearer sk-upstream-secret-1\r\n");

  const page = await open((socket) => socket.write(jsonAnswer("<html>")));
  expect(await listUpstreamModels(transport, page.channel)).toEqual({
    ok: false,
    message: "该地址返回的不是有效的 API 应答，请检查 API 地址",
    field: "base_url",
  });
});

test("who fetches models reads the upstream's own reason, at the field that is wrong", async () => {
  const reasonOf = async (answer: string) => {
    const { channel } = await open((socket) => socket.end(answer));
    const listed = await listUpstreamModels(transport, channel);
    return listed.ok ? null : [listed.message, listed.field];
  };
  const error = (message: string, code = "") => JSON.stringify({ error: { message, code } });

  for (const [status, body, message, field] of [
    [
      "401 Unauthorized",
      error("Incorrect API key provided: sk-up*****et-1."),
      /401.*：Incorrect API key provided: \*\*\*\.?$/,
      "key",
    ],
    ["401 Unauthorized", "{}", "上游拒绝了该密钥 (401)", "key"],
    [
      "400 Bad Request",
      error("API key not valid. Please pass a valid API key."),
      /^上游拒绝了该密钥 \(400\)：API key not valid/,
      "key",
    ],
    [
      "402 Payment Required",
      error("Insufficient Balance"),
      "上游账户余额不足 (402)：Insufficient Balance",
      "key",
    ],
    [
      "403 Forbidden",
      error("Not supported", "unsupported_country_region_territory"),
      "上游不在此地区提供服务 (403)：Not supported",
      "base_url",
    ],
    ["403 Forbidden", error("no scope"), "上游不允许该密钥这样使用 (403)：no scope", "key"],
    ["404 Not Found", "<html>nothing</html>", "上游没有该接口 (404)，请检查 API 地址", "base_url"],
    ["301 Moved", "", "上游转到了另一个地址 (301)，请检查 API 地址", "base_url"],
    ["429 Too Many", error("slow down"), "上游限制了请求 (429)：slow down", null],
    ["503 Down", error("maintenance"), "上游出错 (503)：maintenance", null],
    ["200 OK", error("no right"), "上游返回了错误：no right", null],
  ] as const) {
    const said = await reasonOf(jsonAnswer(body, status));
    expect(said).toEqual([
      expect.stringMatching(message instanceof RegExp ? message : literal(message)),
      field,
    ]);
  }
});

test("an upstream that cannot be reached is told apart by why", async () => {
  const reasonAt = async (baseUrl: string, keys?: string[]) => {
    const given = { baseUrl, ...(keys === undefined ? {} : { keys }) };
    const listed = await listUpstreamModels(transport, testChannel(given));
    return listed.ok ? null : [listed.message, listed.field];
  };
  // Answers each client's first bytes, which a TLS client takes for a broken handshake.
  const plain = createServer((socket) => socket.once("data", () => socket.end(jsonAnswer("{}"))));
  await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
  stops.push(async () => void plain.close());
  const address = plain.address();
  const port = typeof address === "object" ? address?.port : 0;

  expect(await reasonAt("http://no-such-host.example")).toEqual([
    "找不到 API 地址中的主机名，请检查拼写",
    "base_url",
  ]);
  expect(await reasonAt("http://127.0.0.1:1")).toEqual([
    expect.stringMatching(/^上游拒绝连接/),
    "base_url",
  ]);
  expect(await reasonAt(`https://127.0.0.1:${port}`)).toEqual([
    expect.stringMatching(/TLS.*https/),
    "base_url",
  ]);
  expect(await reasonAt(`http://127.0.0.1:${port}`, ["sk-a\nb"])).toEqual([
    expect.stringMatching(/^密钥含有无效字符/),
    "key",
  ]);
});

test("no message shows a part of the key that an upstream repeats", async () => {
  const keys = ["9f8e7d6c5b4a39281706"];
  for (const echoed of [
    "9f8e7d6c5b4a39281706",
    "9f8e7d6c",
    "****1706",
    "9f8e****1706",
    "9f8e...1706",
    "81706",
  ]) {
    const body = JSON.stringify({ error: { message: `Your key ${echoed} is invalid` } });
    const { channel } = await open((socket) => socket.end(jsonAnswer(body, "401 No")));
    const listed = await listUpstreamModels(transport, { ...channel, keys });
    expect(listed).toEqual({
      ok: false,
      message: expect.stringMatching(/^上游拒绝了该密钥 \(401\)：Your key [*.]+ is invalid$/),
      field: "key",
    });
  }
});

test("a key made of words does not hide these words in a message", async () => {
  const body = JSON.stringify({ error: { message: "The demo upstream is down" } });
  const { channel } = await open((socket) => socket.end(jsonAnswer(body, "500 No")));
  expect(
    await listUpstreamModels(transport, { ...channel, keys: ["demo-upstream"] }),
  ).toMatchObject({ message: "上游出错 (500)：The demo upstream is down" });
});

function literal(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[()[\]*.]/g, String.raw`\$&`)}$`);
}
