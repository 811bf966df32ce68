import { describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { openTestConsole } from "./open-console.ts";

for (const dialect of testDialects) {
  describe(`names in the audit log on ${dialect}`, () => {
    test("an entry tells the present name of the user that it is about", async () => {
      const gateway = await openTestConsole(dialect);
      const root = await gateway.root();
      await gateway.user("mallory");
      const { body } = await root.get("/api/audit/?action=user.create");
      const { items } = body.data as { items: { target: string; target_name: string }[] };

      expect(items.find(({ target_name }) => target_name === "mallory")?.target).toMatch(
        /^user:\d+$/,
      );
      await gateway.close();
    });
  });
}
