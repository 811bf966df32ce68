/**
 * What each role may do to users of each role, as one table: the rank rule (A-257 to A-263, P-A2).
 * Each cell runs on accounts of its own, except for root.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { testDialects } from "#db/testing/database.ts";
import { type Answer, type Client, openTestConsole, type TestConsole } from "./open-console.ts";

type Deed = (actor: Client, id: number) => Promise<Answer>;

const manage =
  (action: string): Deed =>
  (actor, id) =>
    actor.post("/api/user/manage", { id, action });

const deeds: Readonly<Record<string, Deed>> = {
  read: (actor, id) => actor.get(`/api/user/${id}`),
  entries: (actor, id) => actor.get(`/api/user/${id}/entries`),
  edit: (actor, id) => actor.put("/api/user/", { id, display_name: "changed" }),
  password: (actor, id) => actor.put("/api/user/", { id, password: "a new password" }),
  quota: (actor, id) => actor.put("/api/user/", { id, quota_delta: 7, reason: "x" }),
  group: (actor, id) => actor.post("/api/user/batch/group", { ids: [id], group: "vip" }),
  "batch off": (actor, id) => actor.post("/api/user/batch/status", { ids: [id], status: 2 }),
  disable: manage("disable"),
  enable: manage("enable"),
  promote: manage("promote"),
  demote: manage("demote"),
  "manage delete": manage("delete"),
  delete: (actor, id) => actor.delete(`/api/user/${id}`),
  "reset 2fa": (actor, id) => actor.delete(`/api/user/${id}/2fa`),
};

/*
 * The columns, by actor and target:
 *                    a user on a user
 *                    | an admin on a user, another admin, itself, root
 *                    | |       root on a user, an admin, itself
 */
const table = `
  read             . + . + .  + + +
  entries          . + . + .  + + +
  edit             . + . . .  + + +
  password         . + . . .  + + +
  quota            . + . . .  + + +
  group            . + . . .  + + +
  batch off        . + . . .  + + .
  disable          . + . . .  + + .
  enable           . + . . .  + + +
  promote          . . . . .  + . .
  demote           . . . . .  . + .
  manage delete    . + . . .  + + .
  delete           . + . . .  + + .
  reset 2fa        . + . . .  + + +
`;

const pairs = [
  ["user", "user"],
  ["admin", "user"],
  ["admin", "admin"],
  ["admin", "itself"],
  ["admin", "root"],
  ["root", "user"],
  ["root", "admin"],
  ["root", "itself"],
] as const;

/** Whether the call succeeded. A batch reports a result for each of its users. */
function isDone({ body }: Answer): boolean {
  const { data } = body;
  if (body.success !== true || !Array.isArray(data)) return body.success === true;
  return data.every((result: unknown) => Object(result).success === true);
}

let made = 0;

async function account(gateway: TestConsole, which: "admin" | "root" | "user"): Promise<Client> {
  if (which === "root") return await gateway.root();
  made += 1;
  return await gateway.user(`r${made}`, role.enum[which]);
}

async function everything({ db }: TestConsole, id: number) {
  return {
    user: await db.selectFrom("users").selectAll().where("id", "=", id).execute(),
    balance: await db.selectFrom("balances").selectAll().where("user_id", "=", id).execute(),
    sessions: await db.selectFrom("sessions").selectAll().where("user_id", "=", id).execute(),
  };
}

/**
 * Restores root's password and sessions for the cells after this one, because a cell may end them.
 */
async function restore(
  { db }: TestConsole,
  { user, sessions }: Awaited<ReturnType<typeof everything>>,
): Promise<void> {
  for (const { id, password_hash } of user) {
    await db.updateTable("users").set({ password_hash }).where("id", "=", id).execute();
  }
  await db
    .insertInto("sessions")
    .values(sessions)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

for (const dialect of testDialects) {
  describe(`role rules on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
    });
    afterAll(async () => await gateway.close());

    for (const line of table.trim().split("\n")) {
      const [, name = "", cells = ""] = /^\s*(.*?)\s{2,}(.*)$/.exec(line) ?? [];
      test(`${name}: ${cells}`, async () => {
        const wanted = cells.split(/\s+/);
        expect(wanted).toHaveLength(pairs.length);
        const seen: string[] = [];
        for (const [who, whom] of pairs) {
          const actor = await account(gateway, who);
          const target = whom === "itself" ? actor : await account(gateway, whom);
          const before = await everything(gateway, target.id);
          const answer = await deeds[name]?.(actor, target.id);
          if (answer === undefined) throw new Error(`no such deed: ${name}`);
          if (who === "root" && whom === "itself") await restore(gateway, before);
          seen.push(isDone(answer) ? "+" : ".");
          if (!isDone(answer)) expect(await everything(gateway, target.id)).toEqual(before);
        }
        expect(seen.join(" ")).toBe(wanted.join(" "));
      });
    }
  });
}
