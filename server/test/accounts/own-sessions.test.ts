import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { session } from "@tollgate/contract/endpoints/sessions.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";

for (const dialect of testDialects) {
  describe(`own sessions on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
    });
    afterAll(async () => await gateway.close());

    const list = async (client: Client) =>
      z.array(session).parse((await client.get("/api/user/sessions")).body.data);
    const statusOf = async (client: Client) => (await client.get("/api/user/self")).status;

    // P-A5: users can list and end their own sessions.
    test("each browser is listed, and the list does not reveal a usable session id", async () => {
      const alice = await gateway.user("alice");
      await gateway.signIn("alice");
      await gateway.user("bob");
      const sessions = await list(alice);

      expect(sessions).toHaveLength(2);
      expect(sessions.filter(({ current }) => current)).toHaveLength(1);
      const nowSeconds = gateway.clock.nowMs / 1_000;
      expect(sessions[0]).toMatchObject({
        created_at: nowSeconds,
        expires_at: nowSeconds + 7 * 86_400,
        client_ip: "203.0.113.9",
      });
      const stored = await gateway.db.selectFrom("sessions").select("id").execute();
      for (const { id } of stored) expect(JSON.stringify(sessions)).not.toContain(id);
    });

    test("an ended session is refused at its next call, the others continue", async () => {
      const carol = await gateway.user("carol");
      const phone = await gateway.signIn("carol");
      const other = (await list(carol)).find(({ current }) => !current);
      const ended = await carol.delete(`/api/user/sessions/${other?.id}`);

      expect(ended.body.success).toBe(true);
      expect(ended.headers.get("set-cookie")).toBeNull();
      expect(await statusOf(phone)).toBe(401);
      expect(await statusOf(carol)).toBe(200);
      expect((await carol.delete(`/api/user/sessions/${other?.id}`)).body.message).toBe(
        "会话不存在或已结束",
      );
      const own = (await list(carol))[0]?.id;
      const last = await carol.delete(`/api/user/sessions/${own}`);
      expect(last.headers.get("set-cookie")).toStartWith("__Host-sid=; Max-Age=0");
      expect(await statusOf(carol)).toBe(401);
    });

    test("no role can end the session of another user", async () => {
      const dave = await gateway.user("dave");
      const admin = await gateway.user("admin", role.enum.admin);
      const [own] = await list(dave);

      expect((await admin.delete(`/api/user/sessions/${own?.id}`)).body.success).toBe(false);
      for (const id of ["", "%", "________________", "0"]) {
        expect((await admin.delete(`/api/user/sessions/x${id}`)).body.success).not.toBe(true);
      }
      expect(await statusOf(dave)).toBe(200);
    });

    test("ending all others keeps the calling session; a call by access token ends all", async () => {
      const erin = await gateway.user("erin");
      const others = [await gateway.signIn("erin"), await gateway.signIn("erin")];

      expect((await erin.delete("/api/user/sessions")).body.data).toBe(2);
      expect(await statusOf(erin)).toBe(200);
      for (const other of others) expect(await statusOf(other)).toBe(401);
      expect((await erin.delete("/api/user/sessions")).body.data).toBe(0);

      const token = String((await erin.post("/api/user/token")).body.data);
      const headers = { authorization: token, "new-api-user": String(erin.id) };
      const answer = await gateway.call("DELETE", "/api/user/sessions", { headers });
      expect(answer.body.data).toBe(1);
      expect(await statusOf(erin)).toBe(401);
    });

    test("an expired session is not listed", async () => {
      const frank = await gateway.user("frank");
      await gateway.signIn("frank");
      gateway.clock.nowMs += 25 * 3_600_000;
      const again = await gateway.signIn("frank");

      expect(await list(again)).toHaveLength(1);
      expect(await statusOf(frank)).toBe(401);
    });
  });
}
