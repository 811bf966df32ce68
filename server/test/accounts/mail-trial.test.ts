import { expect, test } from "bun:test";
import { openTestConsole } from "./open-console.ts";

test("A-182: only root can send itself a test e-mail, and only a limited number", async () => {
  const gateway = await openTestConsole("sqlite");
  gateway.setOptions({ SMTPServer: "mail.example.org", SystemName: "Gate" });
  const root = await gateway.root();
  const body = { email: "Root@example.com", lang: "en-US" };
  expect((await root.post("/api/mail/test", body)).body).toEqual({ success: true, message: "" });
  expect(gateway.mails).toEqual([
    {
      to: "root@example.com",
      subject: "Gate: test mail",
      text: expect.stringContaining("the mail settings work"),
    },
  ]);
  const admin = await gateway.user("admin", 10);
  expect((await admin.post("/api/mail/test", body)).body.success).toBe(false);
  expect((await root.post("/api/mail/test", { email: "not one" })).body).toMatchObject({
    success: false,
    message: "无效的邮箱地址",
  });
  for (let count = 0; count < 4; count += 1) await root.post("/api/mail/test", body);
  expect((await root.post("/api/mail/test", body)).status).toBe(429);
  expect(gateway.mails).toHaveLength(5);
  await gateway.close();
});
