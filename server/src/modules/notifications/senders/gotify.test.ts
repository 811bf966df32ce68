import { expect, test } from "bun:test";
import { deliver } from "#modules/notifications/testing/deliver.ts";

test("A-036: Gotify is posted title, message and priority, with the token in a header", async () => {
  const settings = { url: "https://push.example.com/gotify/", token: "AbC.1", priority: 8 };
  const { requests, result } = await deliver("gotify", settings);
  expect(result.ok).toBe(true);
  expect(requests).toEqual([
    {
      method: "POST",
      url: "https://push.example.com/gotify/message",
      headers: { "content-type": "application/json", "x-gotify-key": "AbC.1" },
      body: JSON.stringify({ title: "您的额度即将用尽", message: "剩余 7。", priority: 8 }),
    },
  ]);
});

test("A-036: without a configured priority a message has the default one", async () => {
  const { requests } = await deliver("gotify", { url: "https://push.example.com", token: "t" });
  expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({ priority: 5 });
});
