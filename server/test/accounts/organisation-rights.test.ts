import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callsForOrganisations } from "@tollgate/contract/endpoints/organisation-rights.ts";
import { testDialects } from "#db/testing/database.ts";
import { listEndpoints, nameOf } from "#test/authorization/routes.ts";
import { forOrganisation, openScene, people, type Scene } from "./organisation-scene.ts";

type Row = {
  readonly call: string;
  readonly body?: (scene: Scene, name: string) => object;
  /** One letter a caller, in the order of `people`: `+` done, `x` refused. */
  readonly cells: string;
  /** Whether the call is made for the organisation, by the header. */
  readonly forIt?: true;
};

/*
 * owner
 * | admin
 * | | billing
 * | | | developer
 * | | | | reader
 * | | | | | stranger, who owns another organisation
 */
const rows: readonly Row[] = [
  { call: "GET /api/organisation/:id", cells: "+ + + + + x" },
  { call: "GET /api/organisation/:id/memberships", cells: "+ + + + + x" },
  { call: "GET /api/organisation/:id/projects", cells: "+ + + + + x" },
  { call: "GET /api/organisation/:id/use", cells: "+ + + + + x" },
  { call: "GET /api/organisation/:id/keys", cells: "+ + + + + x" },
  { call: "GET /api/organisation/:id/invitations", cells: "+ + x x x x" },
  { call: "GET /api/organisation/all", cells: "x x x x x x" },
  {
    call: "PUT /api/organisation/:id",
    body: (_, name) => ({ name: `Acme of ${name}` }),
    cells: "+ x x x x x",
  },
  {
    call: "POST /api/organisation/:id/projects",
    body: (_, name) => ({ name: `of ${name}` }),
    cells: "+ + x x x x",
  },
  {
    call: "PUT /api/organisation/:id/projects",
    body: ({ project }, name) => ({ project, name: `main of ${name}` }),
    cells: "+ + x x x x",
  },
  {
    call: "PUT /api/organisation/:id/projects",
    body: ({ project }) => ({ project, state: "open" }),
    cells: "+ + x x x x",
  },
  {
    call: "POST /api/organisation/:id/keys",
    body: ({ project }) => ({ project, name: "own" }),
    cells: "+ + x + x x",
  },
  {
    call: "POST /api/organisation/:id/keys",
    body: ({ project }) => ({ project, name: "service", service: true }),
    cells: "+ + x x x x",
  },
  {
    call: "POST /api/organisation/:id/keys/reveal",
    body: ({ danasKey }) => ({ token: danasKey }),
    cells: "+ + x x x x",
  },
  {
    call: "POST /api/organisation/:id/keys/reveal",
    body: ({ serviceKey }) => ({ token: serviceKey }),
    cells: "+ + x x x x",
  },
  {
    call: "PUT /api/organisation/:id/keys",
    body: ({ danasKey }) => ({ token: danasKey, enabled: true }),
    cells: "+ + x x x x",
  },
  {
    call: "POST /api/organisation/:id/invitations",
    body: () => ({ role: "reader" }),
    cells: "+ + x x x x",
  },
  {
    call: "POST /api/organisation/:id/invitations",
    body: () => ({ role: "owner" }),
    cells: "+ x x x x x",
  },
  {
    call: "PUT /api/organisation/:id/memberships",
    body: ({ dana }) => ({ user_id: dana.id, role: "developer" }),
    cells: "+ + x x x x",
  },
  {
    call: "POST /api/organisation/:id/transfer",
    body: () => ({ direction: "in", amount: 5 }),
    cells: "+ x + x x x",
  },
  {
    call: "POST /api/organisation/:id/transfer",
    body: () => ({ direction: "out", amount: 1 }),
    cells: "+ x + x x x",
  },
  {
    call: "POST /api/organisation/:id/adjust",
    body: () => ({ amount: 5 }),
    cells: "x x x x x x",
  },
  {
    call: "POST /api/organisation/",
    body: (_, name) => ({ name, handle: `of-${name.slice(0, 5)}`, owner: name }),
    cells: "x x x x x x",
  },
  {
    call: "PUT /api/organisation/all/:id",
    body: () => ({ group: "vip" }),
    cells: "x x x x x x",
  },
  { call: "GET /api/user/self", forIt: true, cells: "+ + + + + x" },
  { call: "GET /api/dashboard/self", forIt: true, cells: "+ + + + + x" },
  { call: "GET /api/user/self/entries", forIt: true, cells: "+ + + x + x" },
  { call: "GET /api/log/self/", forIt: true, cells: "+ + + x + x" },
  { call: "GET /api/token/", forIt: true, cells: "+ + x x x x" },
  {
    call: "PUT /api/token/",
    body: ({ danasKey }, name) => ({ id: danasKey, name: `of ${name}` }),
    forIt: true,
    cells: "+ + x x x x",
  },
  { call: "GET /api/user/topup/self", forIt: true, cells: "+ x + x x x" },
  // What is a person's alone is nobody's here.
  { call: "POST /api/token/", body: () => ({ name: "k" }), forIt: true, cells: "x x x x x x" },
  { call: "PUT /api/user/self", body: () => ({}), forIt: true, cells: "x x x x x x" },
  { call: "DELETE /api/user/self", forIt: true, cells: "x x x x x x" },
  { call: "POST /api/user/token", forIt: true, cells: "x x x x x x" },
  { call: "GET /api/user/sessions", forIt: true, cells: "x x x x x x" },
  { call: "GET /api/user/agent", forIt: true, cells: "x x x x x x" },
  { call: "POST /api/user/aff_transfer", forIt: true, cells: "x x x x x x" },
  { call: "GET /api/organisation/", forIt: true, cells: "x x x x x x" },
];

test("only calls that there are can be made for an organisation", async () => {
  const names = (await listEndpoints()).map((endpoint) =>
    nameOf({ method: endpoint.method, path: endpoint.path } as typeof endpoint),
  );
  expect(Object.keys(callsForOrganisations).filter((name) => !names.includes(name))).toEqual([]);
});

for (const dialect of testDialects) {
  describe(`rights in an organisation on ${dialect}`, () => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await openScene(dialect);
    });
    afterAll(async () => await scene.gateway.close());

    test("each role does what its cell says, and a stranger nothing", async () => {
      const found: string[] = [];
      for (const row of rows) found.push(`${nameRow(row)} ${(await tryRow(row)).join(" ")}`);
      expect(found).toEqual(rows.map((row) => `${nameRow(row)} ${row.cells}`));
    });

    const nameRow = ({ call, forIt }: Row): string => (forIt === true ? `${call} (for it)` : call);

    async function tryRow({ call, body, forIt }: Row): Promise<string[]> {
      const [method = "", path = ""] = call.split(" ");
      const letters: string[] = [];
      for (const name of people) {
        const sent = body?.(scene, name) ?? (method === "GET" ? undefined : {});
        const client = scene.person[name];
        const place = path.replace(":id", String(scene.id));
        const answer =
          forIt === true
            ? await forOrganisation(scene, client, scene.id)(method, place, sent)
            : await scene.gateway.call(method, place, {
                headers: client.headers,
                ...(sent === undefined ? {} : { body: sent }),
              });
        const isDone = answer.body.success === true;
        if (!isDone && answer.status >= 500) letters.push("!");
        else letters.push(isDone ? "+" : "x");
      }
      return letters;
    }
  });
}
