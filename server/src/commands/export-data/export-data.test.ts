/** The way out: everything that another gateway needs is written, and no secret in clear. */

import { expect, test } from "bun:test";
import { createDecipheriv, scryptSync } from "node:crypto";
import { withMoved, secrets, usersMax } from "#commands/import/testing/target.ts";
import { testDialects } from "#db/testing/database.ts";
import { runExportData } from "./export-data.ts";

type Line = Readonly<Record<string, unknown>>;

const passphrase = "correct horse battery";

/** Reads secrets as `docs/operate/move-in.md` says. */
function openReader(lock: Record<string, unknown>) {
  const { N, r, p } = lock as { N: number; r: number; p: number };
  const salt = Buffer.from(String(lock["salt"]), "base64");
  const key = scryptSync(passphrase, salt, 32, { N, r, p, maxmem: 64 * 1_024 * 1_024 });
  return (place: string, text: string): string => {
    const bytes = Buffer.from(text, "base64");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString();
  };
}

for (const dialect of testDialects) {
  test(`what is exported has every user, key and balance, and secrets only for who has the passphrase: ${dialect}`, async () => {
    await withMoved(dialect, async ({ db, address }) => {
      await db.updateTable("users").set({ role: 100 }).where("username", "=", "root").execute();
      const made = { organisation_id: 9, created_at: 5 };
      await db
        .insertInto("organisations")
        .values({ id: 9, name: "Laboratory", created_by: 1, created_at: 5 })
        .execute();
      await db
        .insertInto("projects")
        .values({ ...made, name: "Genes", status: 1 })
        .execute();
      await db
        .insertInto("memberships")
        .values({ ...made, user_id: 8, role: "owner" })
        .execute();
      const keyOf = { organisation_id: 9, project_id: 1, user_id: 8, suspended: 0 };
      await db
        .insertInto("organisation_keys")
        .values({ ...keyOf, token_id: 3 })
        .execute();
      const run = async (answers: string[], hasSecrets: boolean) => {
        const printed: string[] = [];
        const told: string[] = [];
        const code = await runExportData(
          address,
          { hasSecrets },
          {
            secrets,
            wrongKey: async () => null,
            ask: async () => answers.shift() ?? "",
            verify: async (password) => password === "of root",
            print: (line) => void printed.push(line),
            tell: (line) => void told.push(line),
            version: "1",
            now: Date.now,
          },
        );
        const lines = printed.map((line): Line => JSON.parse(line));
        return { code, lines, text: printed.join("\n"), told: told.join("\n") };
      };
      const of = (lines: readonly Line[], kind: string) =>
        lines.filter((line) => line["kind"] === kind);

      const open = await run([], false);
      expect(open.code).toBe(0);
      expect(of(open.lines, "user")).toHaveLength(usersMax);
      expect(of(open.lines, "token")).toHaveLength(usersMax);
      expect(of(open.lines, "channel")).toHaveLength(2);
      expect(of(open.lines, "code")).toHaveLength(1);
      expect(of(open.lines, "organisation")).toMatchObject([{ id: 9, name: "Laboratory" }]);
      expect(of(open.lines, "project")).toMatchObject([{ organisation_id: 9, name: "Genes" }]);
      expect(of(open.lines, "membership")).toMatchObject([{ user_id: 8, role: "owner" }]);
      expect(of(open.lines, "organisation_key")).toMatchObject([{ token_id: 3, user_id: 8 }]);
      expect(open.lines.at(-1)).toEqual({ kind: "end" });
      const user8 = of(open.lines, "user").find(({ username }) => username === "user8");
      expect(user8).toMatchObject({ balance: 8_007, debt: 0, password_hash: null });
      for (const secret of ["my-team-key", "$2a$10$", "sk-one", "c".repeat(32)]) {
        expect(open.text).not.toContain(secret);
      }

      for (const answers of [["wrong"], ["of root", "short"]]) {
        const refused = await run(answers, true);
        expect(refused.code).toBe(1);
        expect(refused.lines).toEqual([]);
        expect(refused.told).toContain("Nothing was written.");
      }
      const whole = await run(["of root", passphrase], true);
      expect(whole.text).not.toContain("my-team-key");
      // Safe cast: the header of an export with secrets.
      const unlock = openReader(whole.lines[0]?.["lock"] as Record<string, unknown>);
      const keys = of(whole.lines, "token").map(({ id, key }) =>
        unlock(`token:${Number(id)}`, String(key)),
      );
      expect(keys).toContain("my-team-key");
      const [channel = {}] = of(whole.lines, "channel");
      // Safe cast: the form of a channel's keys.
      const keysOf = channel["keys"] as readonly { readonly key: string }[];
      const first = keysOf[0]?.key ?? "";
      expect(unlock(`channel:${Number(channel["id"])}`, first)).toBe("sk-one");
      expect(() => unlock("channel:999", first)).toThrow();
      await db.updateTable("users").set({ role: 10 }).where("username", "=", "root").execute();
    });
  });
}
