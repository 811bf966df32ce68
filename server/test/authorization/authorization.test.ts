import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { eventually } from "#test/proof/ledger.ts";
import { type Installation, openInstallation } from "#test/proof/installation.ts";
import { type CallerName, callerNames, openPeople, ownersNames } from "./callers.ts";
import { readMatrix, type Row } from "./rows.ts";
import { consoleOutcome, type Outcome, relayOutcome } from "./outcome.ts";
import { listEndpoints, listRelayRoutes, nameOf } from "./routes.ts";
import { type Place, type Sample, samples } from "./samples.ts";
import { dataOf, send } from "./send.ts";

setDefaultTimeout(1_800_000);

const model = { name: "matrix", script: { promptTokens: 1, events: 1 }, perCall: 10 };

const rows = readMatrix();

describe("P-A1: the matrix", () => {
  test("has a row for every route, and none for a route that is gone", async () => {
    const routes = [...(await listEndpoints()).map(nameOf), ...listRelayRoutes()];
    const named = new Set(rows.map(({ route }) => route));

    expect(routes.filter((route) => !named.has(route))).toEqual([]);
    expect([...named].filter((route) => !routes.includes(route))).toEqual([]);
    expect(Object.keys(samples).filter((name) => !rows.some((row) => row.name === name))).toEqual(
      [],
    );
  });

  test("has a cell for every caller", () => {
    for (const { name, cells } of rows) {
      expect([name, cells.length]).toEqual([name, callerNames.length]);
    }
  });
});

for (const dialect of testDialects) {
  describe(`P-A1 on ${dialect}`, () => {
    let installation: Installation;
    let place: Place;
    beforeAll(async () => {
      installation = await openInstallation(dialect, {
        models: [model],
        channel: { name: ownersNames.channel },
        env: { TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8" },
      });
      place = await openPlace(installation);
    });
    afterAll(async () => await installation.close());

    test("no route answers another method, and no other path below /api is served", async () => {
      const paths = new Set(rows.map(({ path }) => path.replace(/:\w+|\*\*?/, "1")));
      for (const path of ["/api/", "/api/nothing", "/api/user/self/nothing", ...paths]) {
        const answer = await place.send(place.people.callers.root, "PATCH", path);
        // Paths outside `/api/` belong to the relay. It answers 401 first, because root's session
        // is no API key.
        expect([path, path.startsWith("/api/") ? [404] : [401, 404, 501]]).toEqual([
          path,
          expect.arrayContaining([answer.status]),
        ]);
      }
    });

    // One test runs all rows in order, so that in every run a row finds the changes of the same
    // rows before it.
    test("every caller gets the outcome in its cell, for every route", async () => {
      const found = [];
      for (const row of rows) {
        const cells: Outcome[] = [];
        for (const caller of callerNames) cells.push(await callRow(place, row, caller));
        found.push(`${row.name} ${cells.join(" ")}`);
      }
      expect(found).toEqual(rows.map(({ name, cells }) => `${name} ${cells.join(" ")}`));
    });

    // Runs after the matrix, because it may change names that the matrix looks for.
    test("P-A2: fields a route does not take are not stored", async () => {
      for (const { read, write, path, more } of foreignFields(place)) {
        const headers = place.people.callers[write];
        const before = dataOf<Record<string, unknown>>(await place.send(headers, "GET", read));
        const renamed = { name: `new ${write}`, display_name: `new ${write}` };
        const body = { ...before, ...forged, ...more, ...renamed, id: before["id"] };
        await place.send(headers, "PUT", path, body);
        const after = dataOf<Record<string, unknown>>(await place.send(headers, "GET", read));
        const changed = Object.keys(after).filter(
          (key) => !Bun.deepEquals(after[key], before[key]),
        );
        expect([path, changed.filter((key) => !(key in renamed))]).toEqual([path, []]);
        expect([path, changed.length > 0]).toEqual([path, true]);
      }
    });
  });
}

/** Fields that callers might try to set and may not. */
const forged = {
  role: 100,
  user_id: 1,
  request_count: 0,
  aff_code: "mine",
  aff_count: 9,
  aff_quota: 1_000_000,
  aff_history_quota: 1_000_000,
  inviter_id: 1,
  access_token: "mine",
  created_time: 1,
  create_time: 1,
  accessed_time: 1,
  DeletedAt: "2026-01-01T00:00:00Z",
  balance: 1_000_000,
  test_time: 1,
  response_time: 1,
} as const;

/** Calls that send a row back with forged fields. The row is read before and after. */
function foreignFields({ people, channelId }: Place) {
  const { owner, tokenId } = people;
  return [
    {
      write: "owner",
      read: "/api/user/self",
      path: "/api/user/self",
      more: { status: 2, quota: 9 },
    },
    { write: "owner", read: `/api/token/${tokenId}`, path: "/api/token/", more: { status: 2 } },
    {
      write: "root",
      read: `/api/token/new/${tokenId}`,
      path: "/api/token/new/",
      more: { status: 2, key: "mine" },
    },
    { write: "admin", read: `/api/channel/${channelId}`, path: "/api/channel/", more: {} },
    // The role in this body is legal: for a role above the admin's own the server would refuse the
    // whole request, and the other forged fields would go untested.
    {
      write: "admin",
      read: `/api/user/${owner.id}`,
      path: "/api/user/",
      more: { status: 2, role: 1, email: "mine@example.com", username: owner.username },
    },
  ] as const;
}

async function openPlace({ origin, demo, channelId, root }: Installation): Promise<Place> {
  const people = await openPeople(origin, root);
  const sendHere: Place["send"] = async (...call) => await send(origin, ...call);
  const body = { model: model.name, messages: [{ role: "user", content: "hi" }] };
  const named = { ...people.callers.token, "x-session-id": "the owner's" };
  const called = await sendHere(named, "POST", "/v1/chat/completions", body);
  expect(called.status).toBe(200);
  // The first call of this token marks it as exhausted; after that every route refuses its key.
  const spent = people.callers["exhausted token"];
  expect((await sendHere(spent, "POST", "/v1/chat/completions", body)).status).toBe(401);
  await eventually(
    async () => await sendHere(spent, "GET", "/v1/models"),
    ({ status }) => status === 401,
    { what: "the exhausted token is refused" },
  );
  const logs = await sendHere(people.callers.owner, "GET", "/api/log/self/?type=2");
  type Row = { readonly id: number; readonly conversation_id: number };
  const [row] = dataOf<{ items: Row[] }>(logs).items;
  return {
    people,
    send: sendHere,
    model: model.name,
    channelId,
    demoUrl: demo.url,
    logId: row?.id ?? 0,
    conversationId: row?.conversation_id ?? 0,
  };
}

async function callRow(place: Place, row: Row, caller: CallerName): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const method of row.methods) {
    const sample = (await samples[row.name]?.(place, caller)) ?? {};
    const own = sample.as ?? place.people.callers[caller];
    // Each route is called from an address of its own, because unknown keys of one address are
    // refused after a while.
    const at = rows.indexOf(row);
    const headers = { ...own, "x-forwarded-for": `203.0.${at >> 8}.${at & 255}` };
    const hasBody = method === "POST" || method === "PUT";
    const body = hasBody ? (sample.body ?? {}) : undefined;
    const answer = await place.send(headers, method, addressOf(row, sample, method), body);
    const isRelay = !row.path.startsWith("/api/");
    const outcome = isRelay ? relayOutcome(answer) : consoleOutcome(answer, sample);
    if (outcome === "+") await sample.after?.(answer);
    outcomes.push(outcome);
  }
  const [first = "!"] = outcomes;
  return outcomes.every((outcome) => outcome === first) ? first : "!";
}

/** Returns the URL of a call. Rows without a sample get an id that does not exist. */
function addressOf({ path, flag }: Row, { id = 999_999, query }: Sample, method: string): string {
  const filled = path.replace(/:\w+|\*\*?/, String(id));
  const isQuery = method === "GET" || method === "DELETE";
  const asked = [...(flag === "" ? [] : [`${flag}=true`]), ...(isQuery && query ? [query] : [])];
  return asked.length === 0 ? filled : `${filled}?${asked.join("&")}`;
}
