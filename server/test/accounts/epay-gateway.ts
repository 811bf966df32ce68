/**
 * An epay gateway (易支付) for tests: it signs callbacks and answers questions about orders. Its
 * signature is written here a second time, from the protocol's page, so that it does not share the
 * product's mistakes; `epay.test.ts` compares both with vectors of another implementation.
 */

import { createHash } from "node:crypto";

type EpayGateway = {
  readonly origin: string;
  /** What was paid for which order, as decimal text; read by questions. */
  readonly payments: Map<string, string>;
  /** The text that questions are answered with; null: by `payments`. */
  answer: string | null;
  /** What was given back, as `<order> <money>`, oldest first. */
  readonly refunds: string[];
  /** Whether the gateway refuses refunds. */
  refusesRefunds: boolean;
  /** Returns the fields of the callback of a payment. */
  callback(order: string, money: string): Record<string, string>;
  /** Signs fields anew. */
  sign(fields: Record<string, string>): Record<string, string>;
  close(): void;
};

export function openEpayGateway(merchant: {
  readonly pid: string;
  readonly key: string;
}): EpayGateway {
  const payments = new Map<string, string>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const url = new URL(request.url);
      if (request.method === "POST") {
        for (const [name, value] of new URLSearchParams(await request.text())) {
          url.searchParams.set(name, value);
        }
      }
      if (gateway.answer !== null) return new Response(gateway.answer);
      const of = (name: string) => url.searchParams.get(name) ?? "";
      if (of("pid") !== merchant.pid || of("key") !== merchant.key) {
        return Response.json({ code: -1, msg: "no such merchant" });
      }
      const order = of("out_trade_no");
      if (of("act") === "refund") {
        if (gateway.refusesRefunds) return Response.json({ code: -1, msg: "no balance" });
        gateway.refunds.push(`${order} ${of("money")}`);
        return Response.json({ code: 1, msg: "refunded" });
      }
      const money = payments.get(order);
      return Response.json({
        code: 1,
        msg: "ok",
        trade_no: tradeOf(order),
        out_trade_no: order,
        pid: merchant.pid,
        money: money ?? "0.00",
        status: money === undefined ? 0 : 1,
      });
    },
  });
  const sign = (fields: Record<string, string>) => signWith(merchant.key, fields);
  const gateway: EpayGateway = {
    origin: `http://127.0.0.1:${server.port}`,
    payments,
    answer: null,
    refunds: [],
    refusesRefunds: false,
    sign,
    callback: (order, money) =>
      sign({
        pid: merchant.pid,
        trade_no: tradeOf(order),
        out_trade_no: order,
        type: "alipay",
        name: "TUC",
        money,
        trade_status: "TRADE_SUCCESS",
        param: "",
      }),
    close: () => void server.stop(true),
  };
  return gateway;
}

function tradeOf(order: string): string {
  return `T${order}`;
}

function signWith(key: string, fields: Record<string, string>): Record<string, string> {
  const names = Object.keys(fields).filter(
    (name) => fields[name] !== "" && name !== "sign" && name !== "sign_type",
  );
  const text = names
    .toSorted()
    .map((name) => `${name}=${fields[name]}`)
    .join("&");
  const hash = createHash("md5").update(text).update(key).digest("hex");
  return { ...fields, sign: hash, sign_type: "MD5" };
}
