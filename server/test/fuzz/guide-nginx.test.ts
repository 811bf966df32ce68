/** nginx as the guide for reverse proxies sets it up: streams and WebSockets arrive behind it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startUpstream } from "#network/testing/upstream.ts";
import { openai } from "#providers/openai.ts";
import { openTestRelay, testChannel, testKey, type TestRelay } from "#relay/testing/relay.ts";
import { connectResponses } from "#relay/testing/responses-socket.ts";
import { shownStream, streamHead, wholeStream } from "#relay/testing/stream.ts";
import { freePort, ownFiles, runNginx } from "#test/nginx.ts";

const guide = readFileSync(join(import.meta.dir, "../../../docs/operate/reverse-proxy.md"), "utf8");
const port = freePort();
const url = `http://127.0.0.1:${port}`;
let relay: TestRelay;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let nginx: Awaited<ReturnType<typeof runNginx>>;

beforeAll(async () => {
  upstream = await startUpstream((socket) => void socket.end(streamHead + wholeStream));
  const chat = { paths: { chat: "/v1/chat/completions" }, asksForUsage: true };
  const provider = { ...openai, formats: { "openai-chat": chat } };
  relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url, provider })] });
  const program = process.env["TOLLGATE_TEST_NGINX"] ?? Bun.which("nginx") ?? "";
  nginx = await runNginx(program, `${url}/up`, configuration);
});
afterAll(async () => {
  await nginx.stop();
  await relay.stop();
  await upstream.stop();
});

/** The blocks of the guide, on a port of the test and in front of its relay. */
function configuration(folder: string): string {
  const { main, http } = ownFiles(folder);
  const block = (start: string): string =>
    new RegExp(String.raw`^( *)${start} \{\n[^]*?\n\1\}`, "m").exec(guide)?.[0] ?? "";
  const address = relay.url.replace("http://", "");
  return `${main}
events {}
http {
  ${http}
  ${block("upstream tollgate").replace("127.0.0.1:3000", address)}
  ${block(String.raw`map \S+ \S+`)}
  server {
    listen 127.0.0.1:${port};
    location /up { return 200; }
    ${block("location /")}
  }
}`;
}

test("a stream and responses over a WebSocket arrive behind the nginx of the guide", async () => {
  const body = { model: "m", stream: true, messages: [{ role: "user", content: "hi" }] };
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}` },
    body: JSON.stringify(body),
  });
  expect(await answer.text()).toBe(shownStream);

  const client = connectResponses(url);
  for (const count of [1, 2]) {
    client.create({ input: "hi" });
    expect((await client.ended(count))["type"]).toBe("response.completed");
  }
  client.socket.close();
  expect(relay.money.settled.length).toBe(3);
});
