import { expect, test } from "bun:test";
import { fieldsOfWay, notifyType } from "@tollgate/contract/kinds/notice-ways.ts";
import { createHmac } from "node:crypto";
import { deliver, notice } from "#modules/notifications/testing/deliver.ts";

test("A-036: a way that lacks a field it needs sends nothing, and says which", async () => {
  for (const way of notifyType.options) {
    const { requests, mails, result } = await deliver(way, {});
    const missing = fieldsOfWay(way).find(({ field }) => field.required !== undefined);
    if (missing === undefined) {
      expect([way, result.ok]).toEqual([way, true]);
      continue;
    }
    expect([requests, mails]).toEqual([[], []]);
    expect(result).toEqual({
      ok: false,
      reason: `no-${missing.sentAs.replaceAll("_", "-")}`,
      message: missing.field.required ?? "",
    });
  }
});

test("A-036: e-mail goes to the address for notices, or to the account's own", async () => {
  const own = await deliver("email", {});
  const subject = notice.title;
  expect(own.mails).toEqual([{ to: "alice@example.com", subject, text: "剩余 7。\n" }]);
  const other = await deliver("email", { address: "notices@example.com" });
  expect(other.mails).toMatchObject([{ to: "notices@example.com" }]);
});

test("A-036: a webhook is posted the notice, signed only where there is a secret", async () => {
  const url = "https://hooks.example.com/a";
  const plain = await deliver("webhook", { url });
  expect(plain.requests).toMatchObject([{ method: "POST", url }]);
  expect(plain.requests[0]?.headers).toEqual({ "content-type": "application/json" });
  const signed = await deliver("webhook", { url, secret: "s3cret" });
  const { body = "", headers } = signed.requests[0] ?? {};
  expect(JSON.parse(body)).toEqual({ ...notice, timestamp: 0 });
  expect(headers?.["x-webhook-signature"]).toBe(
    createHmac("sha256", "s3cret").update(body).digest("hex"),
  );
});

test("A-036: Bark gets title and text as parts of its address only", async () => {
  const url = "https://api.day.app/key/{{title}}/{{content}}";
  const { requests } = await deliver("bark", { url });
  const path = [notice.title, "剩余 7。"].map(encodeURIComponent).join("/");
  expect(requests).toEqual([
    { method: "GET", url: `https://api.day.app/key/${path}`, headers: {}, body: "" },
  ]);
});

test("A-036: the reason why a receiver did not get a notice is passed on", async () => {
  const answer = { ok: false, reason: "http-502" } as const;
  const { result } = await deliver("bark", { url: "https://api.day.app/key" }, { answer });
  expect(result).toEqual(answer);
});
