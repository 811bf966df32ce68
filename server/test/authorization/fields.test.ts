import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { listEndpoints, nameOf } from "./routes.ts";

const endpoints = await listEndpoints();

/** Returns the names of a schema's fields, at any depth. */
function fieldsOf(schema: z.ZodType, io: "input" | "output"): Set<string> {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === "properties") for (const name of Object.keys(value ?? {})) found.add(name);
      visit(value);
    }
  };
  visit(z.toJSONSchema(schema, { io, unrepresentable: "any" }));
  return found;
}

/** Returns the names of the routes that accept a field (`input`) or answer it (`output`). */
function routesWith(name: string, side: "input" | "output"): string[] {
  return endpoints
    .filter((endpoint) => {
      const given = [endpoint[side], ...(side === "output" ? [endpoint.extras] : [])];
      return given.some((schema) => schema !== undefined && fieldsOf(schema, side).has(name));
    })
    .map(nameOf)
    .toSorted();
}

describe("P-A2: only listed routes accept the fields that decide over rights and money", () => {
  const taken: Readonly<Record<string, readonly string[]>> = {
    // Those of users only compare the role with the caller's, to refuse one that is too high; `manage`
    // changes it. Those of organisations take a role there.
    role: [
      "POST /api/organisation/:id/invitations",
      "POST /api/user/",
      "PUT /api/organisation/:id/memberships",
      "PUT /api/user/",
    ],
    status: [
      "POST /api/channel/",
      "POST /api/channel/batch/status",
      "POST /api/channel/try",
      "POST /api/redemption/batch/status",
      "POST /api/token/batch/status",
      "POST /api/token/new/batch/status",
      "POST /api/user/batch/status",
      "PUT /api/channel/",
      "PUT /api/redemption/?status_only",
      "PUT /api/token/?status_only",
      "PUT /api/token/new/?status_only",
    ],
    group: [
      "POST /api/channel/",
      "POST /api/channel/try",
      "POST /api/organisation/",
      "POST /api/organisation/:id/keys",
      "POST /api/redemption/",
      // Nothing is stored: it says where such a call would go.
      "POST /api/route/explain",
      "POST /api/token/",
      "POST /api/user/batch/group",
      "PUT /api/channel/",
      "PUT /api/organisation/all/:id",
      "PUT /api/redemption/",
      "PUT /api/token/",
      "PUT /api/token/new/",
      "PUT /api/user/",
    ],
    // In `aff_transfer`, `quota` is how much of the user's earnings to move to the balance; so it is
    // for agents, or how much they ask to be paid out.
    quota: [
      "POST /api/redemption/",
      "POST /api/user/aff_transfer",
      "POST /api/user/agent/transfer",
      "POST /api/user/agent/withdraw",
      "PUT /api/redemption/",
      "PUT /api/user/",
    ],
    quota_delta: ["PUT /api/user/"],
    quota_version: ["PUT /api/user/"],
    // The usage that the caller last read, which tells on which state the change is based. It is
    // never stored.
    used_quota: ["PUT /api/token/", "PUT /api/token/new/", "PUT /api/user/"],
    remain_quota: [
      "POST /api/organisation/:id/keys",
      "POST /api/token/",
      "PUT /api/token/",
      "PUT /api/token/new/",
    ],
    // `key` stands for the upstream keys of a channel, for the name of an option, or for a
    // redemption code.
    key: [
      "POST /api/channel/",
      "POST /api/channel/fetch_models",
      "POST /api/channel/try",
      "POST /api/user/topup",
      "PUT /api/channel/",
      "PUT /api/option/",
      "PUT /api/option/?preview",
    ],
    // Whose calls are stopped, by those above them; whose membership is changed; and whose call is asked
    // about.
    user_id: [
      "POST /api/live/stop",
      "POST /api/organisation/:id/memberships/end",
      "POST /api/organisation/:id/owner",
      "POST /api/route/explain",
      "PUT /api/organisation/:id/memberships",
    ],
    access_token: [],
    // `aff_code` is the invite code of the inviter.
    aff_code: ["POST /api/user/register"],
    aff_count: [],
    aff_quota: [],
    aff_history_quota: [],
    inviter_id: [],
    DeletedAt: [],
    created_at: [],
    request_count: [],
    password_hash: [],
    balance: [],
  };
  for (const [name, routes] of Object.entries(taken)) {
    test(name, () => {
      const changing = routesWith(name, "input").filter((route) => !route.startsWith("GET"));
      expect(changing).toEqual([...routes]);
    });
  }
});

describe("P-A2: only listed routes answer secret fields, or none", () => {
  const given: Readonly<Record<string, readonly string[]>> = {
    // Keys are masked in lists, and whole where a token is created, revealed or replaced. For
    // options, `key` is the option's name, for redemption codes the whole code, which only root may
    // read.
    key: [
      "GET /api/channel/",
      "GET /api/channel/:id",
      "GET /api/option/",
      "GET /api/organisation/:id/keys",
      "GET /api/redemption/",
      "GET /api/redemption/:id",
      "GET /api/redemption/search",
      "GET /api/token/",
      "GET /api/token/:id",
      "GET /api/token/new/:id",
      "GET /api/token/newSearch",
      "GET /api/token/query",
      "GET /api/token/search",
      "GET+POST /api/channel/new/search",
      "GET+POST /api/channel/search",
      "POST /api/organisation/:id/keys",
      "POST /api/organisation/:id/keys/reveal",
      "POST /api/token/",
      "POST /api/token/:id/key",
      "POST /api/token/:id/old-key/end",
      "POST /api/token/:id/rotate",
      "POST /api/token/batch/keys",
      "PUT /api/channel/",
      "PUT /api/redemption/",
      "PUT /api/redemption/?status_only",
      "PUT /api/token/",
      "PUT /api/token/?status_only",
      "PUT /api/token/new/",
      "PUT /api/token/new/?status_only",
    ],
    password: [],
    original_password: [],
    password_hash: [],
    access_token: [],
    // The hash of a line of the caller's own statement.
    hash: ["GET /api/log/self/statement"],
    lookup: [],
    sealed: [],
    // `secret` is the one of an authenticator app, which the user's app needs once, or the one of a
    // link that its maker passes on.
    secret: [
      "POST /api/conversation/:id/links",
      "POST /api/organisation/:id/invitations",
      "POST /api/user/2fa/setup",
    ],
    session: [],
    sessionId: [],
    keys: [],
  };
  for (const [name, routes] of Object.entries(given)) {
    test(name, () => expect(routesWith(name, "output")).toEqual([...routes]));
  }

  // A user never sees names, money or addresses of other users.
  test("only routes for admins and root answer fields about other users", () => {
    // The channel's name is not in this list: a user's own log rows have that field too, but it is
    // always empty there.
    for (const name of ["one_day_ratio", "last_use_time", "actor_name"]) {
      const routes = routesWith(name, "output");
      const access = endpoints.filter((one) => routes.includes(nameOf(one)));
      expect(access.filter((one) => one.access === "public" || one.access === "user")).toEqual([]);
      expect([name, access.length > 0]).toEqual([name, true]);
    }
  });
});
