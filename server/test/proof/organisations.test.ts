/**
 * Tests that calls with keys of an organisation spend its balance and nobody's own, never more than
 * there is, and end when project, membership or organisation does.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { addUser, type ConsoleClient } from "#test/console.ts";
import { chat, errorOf, sendChat } from "./chat-call.ts";
import { type Installation, openInstallation, setOption } from "./installation.ts";
import { balanceOf, eventually, readLogs, sumOf } from "./ledger.ts";

const perCall = { name: "of-organisations", script: { headDelayMs: 100 }, perCall: 100 };
/** A model whose upstream waits, after ten words, for a release that never comes. */
const endless = {
  name: "endless",
  script: { promptTokens: 17, events: 20, hold: 10 },
  ratio: 2,
  completionRatio: 3,
} as const;

type Made = { readonly id: number };

type Organisation = Made & {
  readonly owner: ConsoleClient;
  readonly project: number;
  readonly path: string;
};

for (const dialect of testDialects) {
  describe(`organisations on ${dialect}`, () => {
    let place: Installation;
    beforeAll(async () => {
      place = await openInstallation(dialect, { models: [perCall, endless] });
    });
    afterAll(async () => await place.close());

    async function open(quota: number): Promise<Organisation> {
      const { root, origin } = place;
      const owner = await addUser(root, origin, quota);
      const { username } = await owner.call<{ username: string }>("GET", "/api/user/self");
      const handle = `o${crypto.randomUUID().slice(0, 8)}`;
      const body = { name: "Lab", handle, owner: username };
      const { id } = await root.call<Made>("POST", "/api/organisation/", body);
      const path = `/api/organisation/${id}`;
      const [first] = await owner.call<Made[]>("GET", `${path}/projects`);
      return { id, owner, path, project: first?.id ?? 0 };
    }

    async function keyOf(
      { path, project }: Organisation,
      client: ConsoleClient,
      more: object = {},
    ): Promise<string> {
      const body = { project, name: "key", unlimited_quota: true, ...more };
      const made = await client.call<{ key: string }>("POST", `${path}/keys`, body);
      return `sk-${made.key}`;
    }

    async function quotaOf({ owner, path }: Organisation): Promise<number> {
      return (await owner.call<{ quota: number }>("GET", path)).quota;
    }

    test("of 60 calls at once with two keys, those are served that its balance pays", async () => {
      const lab = await open(10_000);
      const [own, service] = [
        await keyOf(lab, lab.owner),
        await keyOf(lab, lab.owner, { service: true }),
      ];
      const unpaid = await chat(place.origin, { key: own, model: perCall.name, stream: false });
      expect(unpaid.status).toBe(403);
      await lab.owner.call("POST", `${lab.path}/transfer`, { direction: "in", amount: 2_500 });
      expect(await balanceOf(lab.owner)).toBe(7_500);

      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          chat(place.origin, {
            key: index % 2 === 0 ? own : service,
            model: perCall.name,
            stream: index % 3 === 0,
          }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(25);
      expect(await quotaOf(lab)).toBe(0);
      expect(await balanceOf(lab.owner)).toBe(7_500);
      const rows = (await readLogs(place.root, { type: 2 })).filter(
        (row) => row.user_id === lab.id,
      );
      expect([rows.length, sumOf(rows)]).toEqual([25, 2_500]);
      type Use = { quota: number; people: { user_id: number }[] };
      const use = await lab.owner.call<Use>("GET", `${lab.path}/use`);
      expect(use.quota).toBe(2_500);
      const whose = use.people.map(({ user_id }) => user_id).toSorted((a, b) => a - b);
      expect(whose).toEqual([0, lab.owner.userId]);
    });

    test("the billing query by its key shows what the key can spend", async () => {
      const lab = await open(10_000);
      await lab.owner.call("POST", `${lab.path}/transfer`, { direction: "in", amount: 5_000 });
      const key = await keyOf(lab, lab.owner);
      // Else it shows what the key itself may spend, which is any amount.
      await setOption(place.root, "DisplayTokenStatEnabled", "false");
      const answer = await fetch(`${place.origin}/dashboard/billing/subscription`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(await answer.json()).toMatchObject({ hard_limit_usd: 0.01 });
    });

    const ends: readonly {
      readonly what: string;
      readonly end: (lab: Organisation) => Promise<unknown>;
    }[] = [
      {
        what: "its project is suspended",
        end: ({ owner, path, project }) =>
          owner.call("PUT", `${path}/projects`, { project, state: "suspended" }),
      },
      {
        what: "its project is closed",
        end: ({ owner, path, project }) =>
          owner.call("PUT", `${path}/projects`, { project, state: "closed" }),
      },
      {
        what: "the organisation is suspended",
        end: ({ id }) =>
          place.root.call("PUT", `/api/organisation/all/${id}`, { state: "suspended" }),
      },
    ];
    for (const { what, end } of ends) {
      test(`a stream ends with an error when ${what}, and costs what came`, async () => {
        const lab = await open(1_000_000);
        await lab.owner.call("POST", `${lab.path}/transfer`, { direction: "in", amount: 900_000 });
        const key = await keyOf(lab, lab.owner, { service: true });
        await endsOn(lab, key, () => end(lab));
      });
    }

    test("a stream with a personal key ends when its person leaves", async () => {
      const lab = await open(1_000_000);
      await lab.owner.call("POST", `${lab.path}/transfer`, { direction: "in", amount: 900_000 });
      const person = await addUser(place.root, place.origin, 0);
      const { secret } = await lab.owner.call<{ secret: string }>(
        "POST",
        `${lab.path}/invitations`,
        { role: "developer" },
      );
      await person.call("POST", "/api/organisation/join", { secret });
      const key = await keyOf(lab, person);
      const leave = { user_id: person.userId };
      await endsOn(lab, key, () => person.call("POST", `${lab.path}/memberships/end`, leave));
    });

    async function endsOn(
      lab: Organisation,
      key: string,
      end: () => Promise<unknown>,
    ): Promise<void> {
      const begun = Promise.withResolvers<void>();
      const call = sendChat(
        place.origin,
        { key, model: endless.name, stream: true },
        {
          leaveWhen(progress) {
            if (progress.text().split('"content":').length > 10) begun.resolve();
            return false;
          },
        },
      );
      await Promise.race([begun.promise, call.answer]);
      await end();
      const answer = await call.answer;
      expect([answer.status, answer.complete]).toEqual([200, true]);
      expect(errorOf(answer)?.code).toMatch(/^(user|token)_disabled$/);
      const rows = await eventually(
        async () =>
          (await readLogs(place.root, { type: 2 })).filter((row) => row.user_id === lab.id),
        (found) => found.length === 1,
        { what: "the row of the stream" },
      );
      expect(sumOf(rows)).toBeGreaterThan(0);
      const again = await chat(place.origin, { key, model: endless.name, stream: false });
      expect([401, 403]).toContain(again.status);
      const metrics = await (await fetch(`${place.origin}/metrics`)).text();
      expect(metrics).toContain("tollgate_holds_open 0");
    }
  });
}
