import { expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { openTestConsole } from "./open-console.ts";

/** How many whole keys one user may reveal in a minute. */
const revealsPerMinute = 60;

for (const dialect of testDialects) {
  test(`P-A10 on ${dialect}: a session can reveal a limited number of keys`, async () => {
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
    // A refused request reveals no key and is not counted, and other users are not affected.
    expect(refused.body.data).toBeUndefined();
    expect((await bob.post(`/api/token/${his}/key`)).status).toBe(200);

    clock.nowMs += 60_001;
    expect(await reveal()).toBe(200);
    await close();
  });
}
