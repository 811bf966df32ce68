import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { type ConsoleClient, signIn } from "#test/console.ts";
import {
  type Gateway,
  type Home,
  makeStartedHome,
  runCommand,
  startGateway,
} from "#test/gateway.ts";
import { openEpayGateway } from "#test/accounts/epay-gateway.ts";
import { setOption } from "./installation.ts";
import { isLong } from "./size.ts";

const merchant = { pid: "1001", key: "key-of-the-crash-proof" };

/** How often the gateway is killed while callbacks of an order arrive. */
const rounds = isLong ? 100 : 2;

/** The longest wait before the kill, in milliseconds; a credit takes less. */
const killMsMax = 40;

const unit = 500_000;

for (const dialect of testDialects) {
  describe(`payments and kill -9 on ${dialect}`, () => {
    let home: Home;
    let gateway: Gateway;
    let epay: ReturnType<typeof openEpayGateway>;
    beforeAll(async () => {
      home = await makeStartedHome(dialect);
      gateway = await startGateway(home);
      epay = openEpayGateway(merchant);
    });
    afterAll(async () => {
      epay.close();
      await gateway.kill();
      await home.remove();
    });

    const quotaOf = async (client: ConsoleClient) =>
      (await client.call<{ quota: number }>("GET", "/api/user/self")).quota;

    test("P-M9: an order whose callback is cut off at any moment is credited once by the next one", async () => {
      const root = await signIn(gateway.origin);
      await setOption(root, "ConsoleRequestsPerMinute", "0");
      await setOption(root, "RootSecondFactorRequired", "false");
      await setOption(root, "PayAddress", epay.origin);
      await setOption(root, "EpayId", merchant.pid);
      await setOption(root, "EpayKey", merchant.key);
      const port = Number(new URL(gateway.origin).port);
      for (let round = 0; round < rounds; round += 1) {
        const before = await quotaOf(root);
        const asked = { amount: 10, payment_method: "zfb" };
        // Safe cast: the contract of `pay`.
        const begun = (await root.send("POST", "/api/user/pay", asked)) as unknown as {
          readonly order: string;
        };
        const query = new URLSearchParams(epay.callback(begun.order, "73.00"));
        const notify = async (): Promise<string> =>
          await (await fetch(`${gateway.origin}/api/user/epay/notify?${query.toString()}`)).text();
        const cut = Array.from({ length: 5 }, () => notify().catch(() => "cut off"));
        await Bun.sleep((killMsMax * round) / rounds);
        await gateway.kill();
        const answers = await Promise.all(cut);
        gateway = await startGateway(home, { port });
        const committed = (await quotaOf(root)) - before;
        // What was answered with success is stored; what is stored is stored whole.
        if (answers.includes("success")) expect(committed).toBe(10 * unit);
        expect([0, 10 * unit]).toContain(committed);
        expect(await notify()).toBe("success");
        expect((await quotaOf(root)) - before).toBe(10 * unit);
      }
      await gateway.kill();
      const { code, output } = await runCommand(home, ["audit"]);
      expect(code, output).toBe(0);
      gateway = await startGateway(home, { port });
    }, 600_000);
  });
}
