/** What to send to the routes of money, as `samples.ts` does for all others. */

import { z } from "zod";
import type { Make, Place } from "./samples.ts";
import { dataOf } from "./send.ts";

/** Creates redemption codes, as root. */
async function codes({ people, send }: Place, count: number): Promise<string[]> {
  const body = { name: "matrix", quota: 1, count };
  return dataOf<string[]>(await send(people.callers.root, "POST", "/api/redemption/", body));
}

type Row = { readonly id: number };

async function aCode(place: Place): Promise<number> {
  const [key = ""] = await codes(place, 1);
  const path = `/api/redemption/search?keyword=${key}`;
  const found = await place.send(place.people.callers.root, "GET", path);
  const [row] = dataOf<{ items: readonly Row[] }>(found).items;
  if (row === undefined) throw new Error("the code was not made");
  return row.id;
}

const theCode: Make = async (place) => ({ id: await aCode(place) });
const someCodes: Make = async (place) => ({ body: { ids: [await aCode(place)], status: 2 } });

/** Turns on a processor of payments, as root. Nothing answers at its address. */
async function setUpPayment({ people, send, demoUrl }: Place): Promise<void> {
  const values = {
    RootSecondFactorRequired: "false",
    PayAddress: demoUrl,
    EpayId: "1001",
    EpayKey: "key-of-the-matrix",
  };
  for (const [key, value] of Object.entries(values)) {
    await send(people.callers.root, "PUT", "/api/option/", { key, value });
  }
}

const asked = { amount: 10, payment_method: "zfb" };
const payment: Make = async (place) => {
  await setUpPayment(place);
  return { body: asked };
};
const paymentWith: Make = async (place) => ({ ...(await payment(place, "root")), id: "epay" });

/** Has the owner order a top-up. */
async function anOrder(place: Place): Promise<string> {
  await setUpPayment(place);
  const { people, send } = place;
  const answer = await send(people.callers.owner, "POST", "/api/user/pay", asked);
  return z.object({ order: z.string() }).parse(JSON.parse(answer.text)).order;
}

const orders = new WeakMap<Place, Promise<string>>();

async function orderId(place: Place, number: string): Promise<number> {
  const path = `/api/order/?keyword=${number}`;
  const found = await place.send(place.people.callers.root, "GET", path);
  const [row] = dataOf<{ items: readonly Row[] }>(found).items;
  if (row === undefined) throw new Error("the order was not made");
  return row.id;
}

/** The same order for all callers, because few can be made in a minute. */
async function ownOrder(place: Place): Promise<string> {
  const known = orders.get(place) ?? anOrder(place);
  orders.set(place, known);
  return await known;
}

const theOrder: Make = async (place) => ({ id: await orderId(place, await ownOrder(place)) });

/** Any answer counts, because each caller can join once, and nobody has dividends. */
const anyAgent: Make = async ({ people, send }) => {
  const body = { key: "AgentsEnabled", value: "true" };
  await send(people.callers.root, "PUT", "/api/option/", body);
  return { id: people.owner.id, body: { quota: 1, payee: "nowhere" }, reached: true };
};
const anyWithdrawal: Make = () => ({ id: 1, body: { note: "the matrix" }, reached: true });

const aSource = { name: "the matrix", kind: "catalogue" };
/** Any answer counts: few sources may be made, and there is none of this number. */
const noSource: Make = () => ({ id: 9_999, body: aSource, reached: true });

export const moneySamples: Readonly<Record<string, Make>> = {
  "DELETE /api/prices/sources/:id": noSource,
  "GET /api/prices/drafts/:id": noSource,
  // Each caller has bills of its own, and a new one takes the place of those before.
  "POST /api/bills/:id/compare": () => ({ id: 9_999, body: { kind: "openai" }, reached: true }),
  "POST /api/bills/:id/parts": () => ({ id: 9_999, body: { place: 0, text: "a" }, reached: true }),
  "POST /api/prices/drafts/:id": noSource,
  "POST /api/prices/drafts/:id/prices": () => ({ id: 9_999, body: { accept: [] }, reached: true }),
  "POST /api/prices/sources": () => ({ body: aSource }),
  "POST /api/prices/sources/:id/sync": noSource,
  "PUT /api/prices/sources/:id": noSource,
  "GET /api/agent/:id/dividends": anyAgent,
  "GET /api/agent/:id/purse": anyAgent,
  // Any answer counts: few previews run at a time, and there is none of this name.
  "DELETE /api/prices/previews/:name": () => ({ id: "none", reached: true }),
  "GET /api/prices/previews/:name": () => ({ id: "none", reached: true }),
  "POST /api/prices/previews": () => ({ body: {}, reached: true }),
  // There is no re-rate and no preview of this name.
  "GET /api/prices/rerates/:id": () => ({ id: 1, reached: true }),
  "POST /api/prices/rerates": () => ({ body: { preview: "none", reason: "r" }, reached: true }),
  "POST /api/prices/rerates/:id/stop": () => ({ id: 1, body: {}, reached: true }),
  "POST /api/prices/rerates/:id/undo": () => ({ id: 1, body: { reason: "r" }, reached: true }),
  "PUT /api/option/?preview": () => ({ body: { key: "ModelPrice", value: "{}" }, reached: true }),
  "POST /api/agent/withdrawals/:id/pay": anyWithdrawal,
  "POST /api/agent/withdrawals/:id/reject": anyWithdrawal,
  "POST /api/user/agent/join": anyAgent,
  "POST /api/user/agent/transfer": anyAgent,
  "POST /api/user/agent/withdraw": anyAgent,
  "POST /api/import/:id/open": () => ({ id: 1, body: { user: "nobody" }, reached: true }),
  "PUT /api/agent/": (place) => ({ body: { id: place.people.owner.id }, reached: true }),
  "DELETE /api/redemption/:id": theCode,
  "GET /api/redemption/:id": theCode,
  "GET /api/order/:id": theOrder,
  "GET /api/user/topup/self": async (place) => ({ mark: await ownOrder(place) }),
  "GET+POST /api/user/:processor/notify": () => ({ id: "epay", reached: true }),
  "POST /api/order/:id/check": theOrder,
  // Any answer counts: nothing answers at the gateway's address.
  "POST /api/order/:id/refund": async (place, caller) => ({
    ...(await theOrder(place, caller)),
    body: { reason: "the matrix" },
    reached: true,
  }),
  "POST /api/order/:id/refund/end": async (place, caller) => ({
    ...(await theOrder(place, caller)),
    body: { refund: 1, done: true },
    reached: true,
  }),
  "POST /api/order/:id/settle": async (place, caller) => ({
    id: await orderId(place, await (caller.startsWith("root") ? anOrder(place) : ownOrder(place))),
    body: { reason: "the matrix" },
  }),
  // Any answer counts: the user owes nothing.
  "POST /api/user/:id/debt/waive": ({ people }) => ({
    id: people.owner.id,
    body: { reason: "the matrix" },
    reached: true,
  }),
  "POST /api/user/:processor/pay": paymentWith,
  "POST /api/user/amount": payment,
  "POST /api/user/pay": payment,
  "POST /api/user/topup/check": async (place) => ({ body: { number: await ownOrder(place) } }),
  "POST /api/user/topup/again": async (place) => ({ body: { number: await ownOrder(place) } }),
  "POST /api/redemption/": () => ({ body: { name: "matrix", quota: 1, count: 1 } }),
  "POST /api/redemption/batch": someCodes,
  "POST /api/redemption/batch/status": someCodes,
  "POST /api/user/topup": async (place) => ({ body: { key: (await codes(place, 1))[0] } }),
  "PUT /api/redemption/": async (place) => ({ body: { id: await aCode(place), name: "edited" } }),
  "PUT /api/redemption/?status_only": async (place) => ({
    body: { id: await aCode(place), status: 2 },
  }),
};
