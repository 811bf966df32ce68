import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import type { Client } from "./open-console.ts";
import { at, attacks, transfer } from "./organisation-attacks.ts";
import { dataOf, found, invitationOf, join, openScene, type Scene } from "./organisation-scene.ts";

const day = 86_400_000;

/** The tables that an attack must leave as they are. */
const tables = [
  "users",
  "organisations",
  "projects",
  "organisation_keys",
  "tokens",
  "entries",
  "balances",
] as const;

for (const dialect of testDialects) {
  describe(`attacks on organisations on ${dialect}`, () => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await openScene(dialect);
      dataOf(await transfer(scene.person.owner, scene.id, "in", 100));
    });
    afterAll(async () => await scene.gateway.close());

    const read = async (): Promise<string> => {
      const { db } = scene.gateway;
      const rows = [];
      for (const table of tables) {
        const found = await db.selectFrom(table).selectAll().execute();
        // People and tokens that an attack needs are not what it must leave alone.
        const kept = found.filter(
          (row) => !("username" in row) || row.organisation === 1 || row.id <= scene.dana.id,
        );
        const own = kept.filter(
          (row) => table !== "tokens" || Number(Object(row).user_id) === scene.id,
        );
        const ofOld = own.filter(
          (row) =>
            (table !== "entries" && table !== "balances") ||
            Number(Object(row).user_id) <= scene.dana.id + 2,
        );
        rows.push(ofOld.map((row) => JSON.stringify({ ...row, accessed_time: 0 })).toSorted());
      }
      const roles = await db
        .selectFrom("memberships")
        .select(["organisation_id", "user_id", "role"])
        .execute();
      return JSON.stringify([rows, roles.map((row) => JSON.stringify(row)).toSorted()]);
    };

    test("every one is refused, and changes nothing", async () => {
      const wrong: string[] = [];
      for (const { name, run } of attacks) {
        const before = await read();
        const { status, body } = await run(scene);
        if (body.success === true || status >= 500) wrong.push(`${name}: ${status}`);
        if ((await read()) !== before) wrong.push(`${name}: something has changed`);
      }
      expect(wrong).toEqual([]);
    });

    test("of many who use an invitation at once, one joins", async () => {
      const { person, id, gateway } = scene;
      const crowd: Client[] = [];
      for (let n = 0; n < 5; n += 1) crowd.push(await gateway.user(`crowd${n}`));
      const secret = await invitationOf(person.owner, id, "reader");
      const answers = await Promise.all(
        crowd.map((client) => client.post("/api/organisation/join", { secret })),
      );
      expect(answers.filter(({ body }) => body.success === true)).toHaveLength(1);
    });

    test("of two owners who leave at once, one stays", async () => {
      const { gateway, root } = scene;
      const [one, two] = [await gateway.user("one"), await gateway.user("two")];
      const { id } = await found(root, { name: "Pair", handle: "pair", owner: "one" });
      await join(one, id, "owner", two);
      const answers = await Promise.all(
        [one, two].map((client) => client.post(at(id, "/memberships/end"), { user_id: client.id })),
      );
      expect(answers.filter(({ body }) => body.success === true)).toHaveLength(1);
    });

    // The last one: it moves the clock, and sessions end.
    test("an invitation ends with its time", async () => {
      const { person, id, gateway } = scene;
      const secret = await invitationOf(person.owner, id, "reader");
      gateway.clock.nowMs += 7 * day + 1_000;
      const late = await gateway.signIn("stranger");
      expect((await late.post("/api/organisation/join", { secret })).body.success).toBe(false);
    });
  });
}
