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
import { openStripeServer, stripeKeys } from "#test/accounts/stripe-server.ts";
import { setOption } from "./installation.ts";
import { isLong } from "./size.ts";

const merchant = { pid: "1001", key: "key-of-the-crash-proof" };

/** How often the gateway is killed while messages about an order arrive. */
const rounds = isLong ? 100 : 2;

/** The longest wait before the kill, in milliseconds; a credit takes less. */
const killMsMax = 40;

const unit = 500_000;

for (const dialect of testDialects) {
  describe(`payments and kill -9 on ${dialect}`, () => {
    let home: Home;
    let gateway: Gateway;
    let root: ConsoleClient;
    let port: number;
    const epay = openEpayGateway(merchant);
    const stripe = openStripeServer();
    const start = async (given: { readonly port?: number } = {}) =>
      await startGateway(home, { ...given, env: { TOLLGATE_STRIPE_URL: stripe.origin } });
    beforeAll(async () => {
      home = await makeStartedHome(dialect);
      gateway = await start();
      port = Number(new URL(gateway.origin).port);
      root = await signIn(gateway.origin);
      for (const [key, value] of Object.entries({
        ConsoleRequestsPerMinute: "0",
        RootSecondFactorRequired: "false",
        PayAddress: epay.origin,
        EpayId: merchant.pid,
        EpayKey: merchant.key,
        StripeApiSecret: stripeKeys.api,
        StripeWebhookSecret: stripeKeys.webhook,
      })) {
        await setOption(root, key, value);
      }
    });
    afterAll(async () => {
      epay.close();
      stripe.close();
      await gateway.kill();
      await home.remove();
    });

    const quotaOf = async () => (await root.call<{ quota: number }>("GET", "/api/user/self")).quota;
    const pay = async (processor: string) => {
      const asked = { amount: 10, payment_method: processor === "epay" ? "zfb" : processor };
      // Safe cast: the contract of `payWith`.
      return (await root.send("POST", `/api/user/${processor}/pay`, asked)) as unknown as {
        readonly order: string;
      };
    };
    const told = async (processor: string, sent: string, more: RequestInit = {}) =>
      await (await fetch(`${gateway.origin}/api/user/${processor}/notify${sent}`, more)).text();
    const epayTells = async (order: string) => {
      const query = new URLSearchParams(epay.callback(order, "73.00"));
      return await told("epay", `?${query.toString()}`);
    };
    const stripeTells = async (order: string) => {
      const { body, signature } = await stripe.event(
        "checkout.session.completed",
        stripe.sessionOf(order),
        { atMs: Date.now() },
      );
      return await told("stripe", "", {
        method: "POST",
        headers: { "stripe-signature": signature },
        body,
      });
    };
    const proven = async () => {
      await gateway.kill();
      const { code, output } = await runCommand(home, ["audit"]);
      expect(code, output).toBe(0);
      gateway = await start({ port });
    };

    for (const [processor, tell] of [
      ["epay", epayTells],
      ["stripe", stripeTells],
    ] as const) {
      test(`P-M9: an order of ${processor} whose callback is cut off at any moment is credited once by the next one`, async () => {
        for (let round = 0; round < rounds; round += 1) {
          const before = await quotaOf();
          const { order } = await pay(processor);
          if (processor === "stripe") stripe.pay(order);
          const cut = Array.from({ length: 5 }, () => tell(order).catch(() => "cut off"));
          await Bun.sleep((killMsMax * round) / rounds);
          await gateway.kill();
          const answers = await Promise.all(cut);
          gateway = await start({ port });
          const committed = (await quotaOf()) - before;
          // What was answered with success is stored; what is stored is stored whole.
          if (answers.includes("success")) expect(committed).toBe(10 * unit);
          expect([0, 10 * unit]).toContain(committed);
          expect(await tell(order)).toBe("success");
          expect((await quotaOf()) - before).toBe(10 * unit);
        }
        await proven();
      }, 600_000);
    }

    test("P-M9: a payment at Stripe is credited once when the gateway is killed before the browser is sent on", async () => {
      for (let round = 0; round < rounds; round += 1) {
        const before = await quotaOf();
        const held = stripe.hold();
        const cut = pay("stripe").catch(() => "cut off");
        await held.made;
        const order = stripe.newest();
        stripe.pay(order);
        // Every second time the payment is told of before the kill.
        if (round % 2 === 1) expect(await stripeTells(order)).toBe("success");
        await gateway.kill();
        expect(await cut).toBe("cut off");
        held.release();
        gateway = await start({ port });
        expect(await stripeTells(order)).toBe("success");
        expect((await quotaOf()) - before).toBe(10 * unit);
      }
      await proven();
    }, 600_000);
  });
}
