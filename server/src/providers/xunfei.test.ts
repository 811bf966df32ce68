import { expect, test } from "bun:test";
import type { TokenSource } from "./signing.ts";
import { xunfei } from "./xunfei.ts";

test("O-141: the model names address and domain, or else the channel's version does", async () => {
  for (const [named, other, path, domain] of [
    ["lite", "", "/v1.1/chat", "lite"],
    ["general", "", "/v1.1/chat", "general"],
    ["generalv2", "", "/v2.1/chat", "generalv2"],
    ["generalv3", "v3.5", "/v3.1/chat", "generalv3"],
    ["generalv3.5", "", "/v3.5/chat", "generalv3.5"],
    ["4.0Ultra", "", "/v4.0/chat", "4.0Ultra"],
    ["pro-128k", "", "/chat/pro-128k", "pro-128k"],
    ["max-32k", "", "/chat/max-32k", "max-32k"],
    ["x1", "", "/v1/x1", "x1"],
    ["SparkDesk-v3.1", "", "/v3.1/chat", "generalv3"],
    ["SparkDesk", "v3.5", "/v3.5/chat", "generalv3.5"],
    ["SparkDesk", "", "/v2.1/chat", "generalv2"],
    ["mine", "v5.0", "/v5.0/chat", "mine"],
  ] as const) {
    const target = { channel: { baseUrl, other, organization: "" }, ...asked, model: named };
    const url = `https://spark-api.xf-yun.com${path}`;
    expect([named, xunfei.adjustUrl?.("", target)]).toEqual([named, url]);
    const body = Buffer.from(JSON.stringify({ parameter: { chat: { domain: named } } }));
    const signed = await xunfei.sign?.(
      { ...target, url, body, key: "app1|secret|key", headers: {}, nowMs: 0 },
      noTokens,
    );
    const sent = signed?.kind === "signed" ? signed.body : undefined;
    expect(JSON.parse(new TextDecoder().decode(sent))).toEqual({
      header: { app_id: "app1" },
      parameter: { chat: { domain } },
    });
  }
});

const baseUrl = xunfei.baseUrl ?? "";
const asked = { format: "xunfei-spark", modality: "chat", isStream: true } as const;
const noTokens: TokenSource = {
  get: async () => ({ kind: "unsigned", reason: "token-missing", message: "" }),
  postForm: async () => ({ ok: false, reason: "" }),
};
