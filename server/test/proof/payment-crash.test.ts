import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { type ConsoleClient, signIn } from "#test/console.ts";
import {
  type Gateway,
  type Home,
  makeStartedHome,
  rootUser,
  runCommand,
  startGateway,
} from "#test/gateway.ts";
import { openEpayGateway } from "#test/accounts/epay-gateway.ts";
import { openStripeServer, stripeKeys } from "#test/accounts/stripe-server.ts";
import { setOption } from "./installation.ts";
import { isLong } from "./size.ts";
import { stallAt, type Step } from "./stalls.ts";

const merchant = { pid: "1001", key: "key-of-the-crash-proof" };

/** How often the gateway is killed at any moment while messages about an order arrive. */
const rounds = isLong ? 100 : 1;

/** How often it is killed before the browser is sent on: every second time after the payment. */
const earlyRounds = isLong ? 100 : 2;

/** How often it is killed in each gap of a credit, for each processor. */
const gapRounds = isLong ? 50 : 1;

/**
 * The steps of a credit, in their order. The gaps are before the first and after each of them. By what
 * Stripe is asked about an order is kept.
 */
const stepsOf = (processor: "epay" | "stripe"): readonly Step[] => [
  { table: "order_events", event: "insert", when: "before" },
  { table: "order_events", event: "insert" },
  { table: "entries", event: "insert" },
  { table: "balances", event: "update" },
  { table: "orders", event: "update" },
  { table: "order_polls", event: processor === "stripe" ? "update" : "delete" },
  { table: "logs", event: "insert" },
  { table: "money_notices", event: "insert" },
];

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
    const payAs = async (client: ConsoleClient, processor: string) => {
      const asked = { amount: 10, payment_method: processor === "epay" ? "zfb" : processor };
      // Safe cast: the contract of `payWith`.
      return (await client.send("POST", `/api/user/${processor}/pay`, asked)) as unknown as {
        readonly order: string;
        readonly data: object;
      };
    };
    const pay = async (processor: string) => await payAs(root, processor);
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

    test("without a server address, the browser comes back to where the server listens, whatever page asked", async () => {
      const local = `http://localhost:${port}`;
      const browser = await signIn(gateway.origin, rootUser, { origin: gateway.origin });
      const { order } = await payAs(browser, "stripe");
      const back = stripe.sessionOf(order).success_url;
      expect(back).toBe(`${local}/topup?order=${order}`);
      const page = await fetch(back);
      expect([page.status, (await page.text()).includes("<html")]).toEqual([200, true]);
      // A program has no page: it is told where the server listens, and so is the gateway.
      const { data, order: second } = await payAs(root, "epay");
      expect(data).toMatchObject({
        notify_url: `${local}/api/user/epay/notify`,
        return_url: `${local}/topup?order=${second}`,
      });
    });

    for (const [processor, tell] of [
      ["epay", epayTells],
      ["stripe", stripeTells],
    ] as const) {
      test(`P-M9: a kill between any two steps of a credit by ${processor} leaves nothing of it, and the next callback credits once`, async () => {
        for (const step of stepsOf(processor)) {
          for (let round = 0; round < gapRounds; round += 1) {
            const before = await quotaOf();
            const { order } = await pay(processor);
            if (processor === "stripe") stripe.pay(order);
            const stall = await stallAt(home, step);
            const cut = tell(order).catch(() => "cut off");
            await stall.reached(gateway.pid);
            await gateway.kill();
            expect([step, await cut]).toEqual([step, "cut off"]);
            await stall.remove();
            gateway = await start({ port });
            expect([step, (await quotaOf()) - before]).toEqual([step, 0]);
            expect(await tell(order)).toBe("success");
            expect([step, (await quotaOf()) - before]).toEqual([step, 10 * unit]);
          }
        }
      }, 3_600_000);

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
      }, 600_000);
    }

    test("P-M9: a payment at Stripe is credited once when the gateway is killed before the browser is sent on", async () => {
      for (let round = 0; round < earlyRounds; round += 1) {
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
      // Of everything that the tests above have left.
      await proven();
    }, 600_000);
  });
}
