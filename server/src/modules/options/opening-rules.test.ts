import { describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { openGateway } from "./testing/options.ts";

const refused = {
  code: "not-allowed",
  message: "开放注册或在线充值前，请先在「设置 → 个人设置 → 两步验证」中启用两步验证",
};

/** Online payment is on if all of these options are set. */
const payment = { PayAddress: "https://pay.example", EpayId: "1001", EpayKey: "key" } as const;

for (const dialect of testDialects) {
  describe(`promises 6.5 on ${dialect}`, () => {
    test("only root with a second factor may turn on closed registration", async () => {
      const { save, options, root, close } = await openGateway(dialect);
      root.hasSecondFactor = false;
      // Registration is on by default, so this save changes nothing and needs no second factor.
      await save("RegisterEnabled", true);
      await save("RegisterEnabled", false);
      await expect(save("RegisterEnabled", true)).rejects.toMatchObject(refused);
      expect(options.read("RegisterEnabled")).toBe(false);
      root.hasSecondFactor = true;
      await save("RegisterEnabled", true);
      expect(options.read("RegisterEnabled")).toBe(true);
      await close();
    });

    test("only root with a second factor turns on online payment, by any option; payment that is on may change", async () => {
      for (const last of ["PayAddress", "EpayId", "EpayKey"] as const) {
        const { save, options, root, close } = await openGateway(dialect);
        root.hasSecondFactor = false;
        for (const name of ["PayAddress", "EpayId", "EpayKey"] as const) {
          if (name !== last) await save(name, payment[name]);
        }
        await expect(save(last, payment[last]), last).rejects.toMatchObject(refused);
        expect(options.read(last)).toBe("");
        root.hasSecondFactor = true;
        await save(last, payment[last]);
        root.hasSecondFactor = false;
        await save("EpayId", "1002");
        await save("PayAddress", "");
        await expect(save("PayAddress", payment.PayAddress)).rejects.toMatchObject(refused);
        await close();
      }
    });

    test("an option turns off the requirement of a second factor", async () => {
      const { save, options, root, close } = await openGateway(dialect);
      root.hasSecondFactor = false;
      await save("RootSecondFactorRequired", false);
      await save("RegisterEnabled", false);
      await save("RegisterEnabled", true);
      expect(options.read("RegisterEnabled")).toBe(true);
      await close();
    });
  });
}
