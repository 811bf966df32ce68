import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { eventually } from "#test/proof/ledger.ts";
import { type OneApiConsole, openOneApiConsole, type Page } from "./one-api-console.ts";

type Notice = {
  readonly type: string;
  readonly title: string;
  readonly content: string;
  readonly values: readonly string[];
};

/**
 * Plays an upstream that refuses its key while `broken`, and the forwarder that sends the notices.
 */
function openOutside() {
  const outside = { broken: true, notices: [] as Notice[] };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (new URL(request.url).pathname === "/worker") {
        const asked = Object(await request.json());
        outside.notices.push(JSON.parse(asked.body));
        return Response.json({});
      }
      if (outside.broken) {
        return Response.json(
          { error: { message: "who are you", code: "invalid_api_key" } },
          {
            status: 401,
          },
        );
      }
      const message = { role: "assistant", content: "hi" };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      return Response.json({
        id: "1",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage,
      });
    },
  });
  return Object.assign(outside, {
    url: `http://127.0.0.1:${server.port}`,
    stop: async () => await server.stop(true),
  });
}

for (const dialect of testDialects) {
  describe(`root's notices about channels on ${dialect}`, () => {
    const outside = openOutside();
    let site: OneApiConsole;
    let root: Page;
    beforeAll(async () => {
      site = await openOneApiConsole(dialect);
      ({ root } = site);
    });
    afterAll(async () => {
      await site.close();
      await outside.stop();
    });

    test("O-018: automatic disabling, automatic enabling and a test of all channels notify root", async () => {
      const options = {
        WorkerUrl: `${outside.url}/worker`,
        AutomaticDisableChannelEnabled: true,
        AutomaticEnableChannelEnabled: true,
        ModelRatio: '{"m":1}',
      };
      for (const [key, value] of Object.entries(options)) {
        await root.data("PUT", "/api/option/", { key, value });
      }
      await root.data("PUT", "/api/user/setting", {
        notify_type: "webhook",
        quota_warning_threshold: 1,
        webhook_url: "https://hooks.example.com/root",
      });
      const channel = {
        name: "shaky",
        type: 1,
        key: "sk-upstream-1",
        models: "m",
        group: "default",
      };
      const [id] = await root.data<number[]>("POST", "/api/channel/", {
        ...channel,
        base_url: outside.url,
      });
      const token = { name: "t", unlimited_quota: true, expired_time: -1 };
      const { key } = await root.data<{ key: string }>("POST", "/api/token/", token);

      await fetch(`${site.gateway.origin}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer sk-${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
      });
      const told = async (count: number) =>
        await eventually(
          async () => outside.notices,
          (notices) => notices.length >= count,
          { what: `${count} notices` },
        );
      const [disabled] = await told(1);
      expect(disabled).toMatchObject({
        type: `channel_update_${id}_3`,
        title: `通道「shaky」（#${id}）已被禁用`,
        content: "通道「{{value}}」（#{{value}}）已被禁用，原因：{{value}}",
      });
      expect(disabled?.values).toEqual(["shaky", String(id), disabled?.values[2] ?? ""]);

      outside.broken = false;
      await root.data("POST", "/api/channel/test");
      const notices = await told(3);
      const types = notices.map(({ type }) => type).toSorted();
      expect(types).toEqual(["channel_test", `channel_update_${id}_1`, `channel_update_${id}_3`]);
      expect(notices.find(({ type }) => type === "channel_test")?.values).toEqual(["1", "0"]);
    });
  });
}
