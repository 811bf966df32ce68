/** What to send to the routes of money, as `samples.ts` does for all others. */

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

export const moneySamples: Readonly<Record<string, Make>> = {
  "DELETE /api/redemption/:id": theCode,
  "GET /api/redemption/:id": theCode,
  "POST /api/redemption/": () => ({ body: { name: "matrix", quota: 1, count: 1 } }),
  "POST /api/redemption/batch": someCodes,
  "POST /api/redemption/batch/status": someCodes,
  "POST /api/user/topup": async (place) => ({ body: { key: (await codes(place, 1))[0] } }),
  "PUT /api/redemption/": async (place) => ({ body: { id: await aCode(place), name: "edited" } }),
  "PUT /api/redemption/?status_only": async (place) => ({
    body: { id: await aCode(place), status: 2 },
  }),
};
