import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { verifyAudit } from "#modules/audit/audit.ts";
import type { Client } from "./open-console.ts";
import { dataOf, forOrganisation, join, openScene, type Scene } from "./organisation-scene.ts";

type Key = {
  readonly id: number;
  readonly user_id: number;
  readonly status: number;
  readonly project: number;
};

const [enabled, disabled] = [1, 2];

for (const dialect of testDialects) {
  describe(`keys of an organisation on ${dialect}`, () => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await openScene(dialect);
    });
    afterAll(async () => await scene.gateway.close());

    const keysOf = async (who: Client): Promise<Key[]> =>
      dataOf<Key[]>(await who.get(`/api/organisation/${scene.id}/keys`));
    const find = async (id: number): Promise<Key | undefined> =>
      (await keysOf(scene.person.owner)).find((key) => key.id === id);
    const setState = async (project: number, state: string): Promise<void> => {
      const path = `/api/organisation/${scene.id}/projects`;
      dataOf(await scene.person.admin.put(path, { project, state }));
    };

    test("the organisation owns them, and their people have no such tokens of their own", async () => {
      const { gateway, dana, danasKey, id, person } = scene;
      const row = await gateway.db
        .selectFrom("tokens")
        .select("user_id")
        .where("id", "=", danasKey)
        .executeTakeFirst();
      expect(row?.user_id).toBe(id);
      expect(dataOf(await dana.get("/api/token/?p=0"))).toEqual([]);
      const tokens = await forOrganisation(scene, person.owner, id)("GET", "/api/token/?p=0");
      expect(dataOf<Key[]>(tokens).map((key) => key.id)).toContain(danasKey);
    });

    test("developers see their own keys, owners all", async () => {
      const { dana, danasKey, serviceKey, person } = scene;
      expect((await keysOf(dana)).map(({ id }) => id)).toEqual([danasKey]);
      expect((await keysOf(person.owner)).map(({ id }) => id)).toEqual([serviceKey, danasKey]);
      expect(await keysOf(person.reader)).toEqual([]);
    });

    test("its owner sees the text of a key again", async () => {
      const { dana, danasKey, id } = scene;
      const body = { token: danasKey };
      const shown = dataOf<{ key: string }>(
        await dana.post(`/api/organisation/${id}/keys/reveal`, body),
      );
      expect(shown.key).toMatch(/^[0-9A-Za-z]{48}$/);
    });

    test("a project that is suspended disables its keys, and enables those again", async () => {
      const { project, danasKey, serviceKey, dana, id } = scene;
      const path = `/api/organisation/${id}/keys`;
      dataOf(await dana.put(path, { token: danasKey, enabled: false }));
      await setState(project, "suspended");
      expect((await find(serviceKey))?.status).toBe(disabled);
      expect((await dana.put(path, { token: danasKey, enabled: true })).body.success).toBe(false);
      await setState(project, "open");
      // Dana has disabled hers by hand.
      expect((await find(danasKey))?.status).toBe(disabled);
      expect((await find(serviceKey))?.status).toBe(enabled);
      dataOf(await dana.put(path, { token: danasKey, enabled: true }));
    });

    test("a role without keys disables them; whoever leaves loses them, not service keys", async () => {
      const { person, dana, danasKey, serviceKey, id } = scene;
      const path = `/api/organisation/${id}/memberships`;
      dataOf(await person.admin.put(path, { user_id: dana.id, role: "reader" }));
      expect((await find(danasKey))?.status).toBe(disabled);
      dataOf(await dana.post(`${path}/end`, { user_id: dana.id }));
      expect(await find(danasKey)).toBeUndefined();
      expect((await find(serviceKey))?.status).toBe(enabled);
      expect((await dana.get(`/api/organisation/${id}`)).body.success).toBe(false);
    });

    test("a disabled account's keys are disabled, a deleted one's removed", async () => {
      const { person, gateway, root, id, project } = scene;
      const evan = await gateway.user("evan");
      await join(person.owner, id, "developer", evan);
      const given = { project, name: "evan's", unlimited_quota: true };
      const made = dataOf<{ id: number }>(await evan.post(`/api/organisation/${id}/keys`, given));
      dataOf(await root.post("/api/user/manage", { id: evan.id, action: "disable" }));
      expect((await find(made.id))?.status).toBe(disabled);
      dataOf(await root.post("/api/user/manage", { id: evan.id, action: "delete" }));
      expect(await find(made.id)).toBeUndefined();
      const people = dataOf<{ user_id: number }[]>(
        await person.owner.get(`/api/organisation/${id}/memberships`),
      );
      expect(people.map(({ user_id }) => user_id)).not.toContain(evan.id);
    });

    test("a closed project has no keys, and takes none", async () => {
      const { person, id } = scene;
      const path = `/api/organisation/${id}`;
      const made = dataOf<{ id: number }>(
        await person.owner.post(`${path}/projects`, { name: "p" }),
      );
      const given = { project: made.id, name: "bot", unlimited_quota: true, service: true };
      const key = dataOf<{ id: number }>(await person.owner.post(`${path}/keys`, given));
      await setState(made.id, "closed");
      expect(await find(key.id)).toBeUndefined();
      expect((await person.owner.post(`${path}/keys`, given)).body.success).toBe(false);
      const body = { project: made.id, state: "open" };
      expect((await person.owner.put(`${path}/projects`, body)).body.success).toBe(false);
    });

    test("what calls were charged is summed by project, person, model and day", async () => {
      const { gateway, person, id, serviceKey, project } = scene;
      const hour = Math.floor(gateway.clock.nowMs / 3_600_000) * 3_600;
      const row = { user_id: id, token_id: serviceKey, channel_id: 1, group: "default" };
      const counts = { prompt_tokens: 1, completion_tokens: 1 };
      for (const [model_name, quota] of [["a", 30] as const, ["b", 12] as const]) {
        const sum = { hour, model_name, quota, request_count: 1 };
        await gateway.db
          .insertInto("usage_hours")
          .values({ ...row, ...counts, ...sum })
          .execute();
      }
      const use = dataOf(await person.reader.get(`/api/organisation/${id}/use`));
      expect(use).toMatchObject({
        quota: 42,
        request_count: 2,
        projects: [{ id: project, name: "main", quota: 42 }],
        people: [{ user_id: 0, quota: 42 }],
        models: [
          { model_name: "a", quota: 30 },
          { model_name: "b", quota: 12 },
        ],
        days: [{ start: hour - (hour % 86_400), quota: 42 }],
      });
    });

    test("the audit log names the person, also of what is done by the header", async () => {
      const { gateway, person, id, serviceKey } = scene;
      const call = forOrganisation(scene, person.admin, id);
      dataOf(await call("PUT", "/api/token/", { id: serviceKey, name: "renamed" }));
      const entry = await gateway.db
        .selectFrom("audit_log")
        .select(["actor_id", "actor_name"])
        .where("action", "=", "token.update")
        .orderBy("id", "desc")
        .executeTakeFirst();
      expect(entry).toEqual({ actor_id: person.admin.id, actor_name: "admin" });
      expect(await verifyAudit(gateway.db)).toMatchObject({ ok: true });
    });
  });
}
