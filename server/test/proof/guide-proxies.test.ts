/**
 * nginx and Caddy as the guide for reverse proxies sets them up: streams, sessions over a WebSocket
 * and the client's address arrive behind them.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { request } from "node:http";
import { GoogleGenAI, Modality } from "@google/genai";
import { connectResponses } from "#relay/testing/responses-socket.ts";
import { addChannel } from "#test/console.ts";
import { freePort, guideBlock, ownFiles, runCaddy, runNginx } from "#test/nginx.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";
import { eventually, readLogs } from "./ledger.ts";

const held = { name: "held", script: { promptTokens: 3, events: 20, hold: 10 }, ratio: 1 };
const quick = { name: "quick", script: { promptTokens: 3, events: 5 }, ratio: 1 };
const live = { name: "live", script: { promptTokens: 3, events: 5 }, ratio: 1 };

/** A client that is not the proxy's own address. */
const client = "127.0.0.2";

let one: Installation;
let spender: Spender;
beforeAll(async () => {
  one = await openInstallation("sqlite", {
    models: [held, quick, live],
    env: { TOLLGATE_TRUSTED_PROXIES: "127.0.0.1" },
  });
  await addChannel(one.root, {
    base_url: one.demo.url,
    models: live.name,
    type: 24,
    priority: 1,
  });
  spender = await addSpender(one, 10_000_000);
});
afterAll(async () => await one.close());

const proxies = {
  async nginx(port: number) {
    const program = process.env["TOLLGATE_TEST_NGINX"] ?? Bun.which("nginx") ?? "";
    const { host } = new URL(one.origin);
    return await runNginx(program, `http://127.0.0.1:${port}/up`, (folder) => {
      const { main, http } = ownFiles(folder);
      return `${main}
events {}
http {
  ${http}
  ${guideBlock("upstream tollgate").replace("127.0.0.1:3000", host)}
  ${guideBlock(String.raw`map \S+ \S+`)}
  server {
    listen 127.0.0.1:${port};
    location /up { return 200; }
    ${guideBlock("location /")}
  }
}`;
    });
  },
  async Caddy(port: number) {
    const program = process.env["TOLLGATE_TEST_CADDY"] ?? Bun.which("caddy") ?? "";
    const url = `http://127.0.0.1:${port}`;
    const site = guideBlock(String.raw`gateway\.example\.com`, "## Caddy")
      .replace("gateway.example.com", url)
      .replace("127.0.0.1:3000", new URL(one.origin).host);
    return await runCaddy(program, `${url}/healthz`, site);
  },
};

for (const [name, start] of Object.entries(proxies)) {
  describe(`behind the ${name} of the guide`, () => {
    const port = freePort();
    const url = `http://127.0.0.1:${port}`;
    let proxy: Awaited<ReturnType<typeof runNginx>>;
    beforeAll(async () => {
      proxy = await start(port);
    });
    afterAll(async () => await proxy.stop());

    test("the events of a stream arrive while the upstream has not ended", async () => {
      const answer = await ask(url, spender.key, held.name);
      let text = "";
      const decoder = new TextDecoder();
      let isReleased = false;
      for await (const piece of answer) {
        text += decoder.decode(piece, { stream: true });
        if (isReleased || (text.match(/"content":/g) ?? []).length < 10) continue;
        isReleased = true;
        await one.demo.release(held.name);
      }
      expect(isReleased).toBe(true);
      expect(text).toEndWith("data: [DONE]\n\n");
    });

    test("a row has the client's own address, whatever the client says", async () => {
      const before = await readLogs(one.root, { model: quick.name });
      const forged = { "x-forwarded-for": "203.0.113.7", "x-real-ip": "203.0.113.8" };
      for await (const _ of await ask(url, spender.key, quick.name, forged));
      const rows = await eventually(
        async () => await readLogs(one.root, { model: quick.name }),
        (found) => found.length > before.length,
        { what: "the row" },
      );
      // Safe cast: the contract of a log's further fields.
      const { client_ip } = JSON.parse(rows[0]?.other ?? "{}") as { client_ip?: string };
      expect(client_ip).toBe(client);
    });

    test("responses and a realtime session run over a WebSocket", async () => {
      const responses = connectResponses(url, { authorization: `Bearer ${spender.key}` });
      for (const count of [1, 2]) {
        responses.create({ model: quick.name, input: "hi" });
        expect((await responses.ended(count))["type"]).toBe("response.completed");
      }
      responses.socket.close();

      const ai = new GoogleGenAI({ apiKey: spender.key, httpOptions: { baseUrl: url } });
      let turns = 0;
      const session = await ai.live.connect({
        model: live.name,
        config: { responseModalities: [Modality.AUDIO] },
        callbacks: {
          onmessage: ({ serverContent }) =>
            void (turns += serverContent?.turnComplete === true ? 1 : 0),
        },
      });
      session.sendClientContent({ turns: "hello" });
      await eventually(
        async () => turns,
        (seen) => seen === 1,
        { what: "the turn" },
      );
      session.close();
    });
  });
}

/** Asks for a stream from the client's address. Resolves to the body. */
async function ask(
  url: string,
  key: string,
  model: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<AsyncIterable<Uint8Array>> {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "hi" }] });
  return await new Promise((resolve, reject) => {
    const sent = request(
      `${url}/v1/chat/completions`,
      {
        method: "POST",
        localAddress: client,
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "content-length": String(body.length),
          ...headers,
        },
      },
      resolve,
    );
    sent.once("error", reject);
    sent.end(body);
  });
}
