import { expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { openTestConsole } from "./open-console.ts";

/** Whole keys one user may be shown in a minute. */
const revealsPerMinute = 60;

for (const dialect of testDialects) {
  test(`P-A10 on ${dialect}: whoever has a session cannot copy keys without end`, async () => {
    const { clock, user, close } = await openTestConsole(dialect);
    const [alice, bob] = [await user("alice"), await user("bob")];
    const idOf = async ({ post }: typeof alice): Promise<number> => {
      const { data } = (await post("/api/token/", { name: "one" })).body;
      return Number(Object(data).id);
    };
    const [hers, his] = [await idOf(alice), await idOf(bob)];
    const reveal = async () => (await alice.post(`/api/token/${hers}/key`)).status;

    for (let count = 0; count < revealsPerMinute; count += 1) expect(await reveal()).toBe(200);
    const refused = await alice.post(`/api/token/${hers}/key`);
    expect(refused).toMatchObject({ status: 429, body: { success: false } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // What was refused is neither shown nor counted, and others are not affected.
    expect(refused.body.data).toBeUndefined();
    expect((await bob.post(`/api/token/${his}/key`)).status).toBe(200);

    clock.nowMs += 60_001;
    expect(await reveal()).toBe(200);
    await close();
  });
}
