/** Attempts on an organisation by its own people and by strangers, each of which must be refused. */

import type { Answer, Client } from "./open-console.ts";
import { dataOf, forOrganisation, invitationOf, join, type Scene } from "./organisation-scene.ts";

/** An attempt that must be refused, without a server error, and leave the tables as they are. */
type Attack = { readonly name: string; readonly run: (scene: Scene) => Promise<Answer> };

export const at = (id: number, rest = ""): string => `/api/organisation/${id}${rest}`;
export const transfer = (who: Client, id: number, direction: string, amount: unknown) =>
  who.post(at(id, "/transfer"), { direction, amount });

export const attacks: readonly Attack[] = [
  {
    name: "read another organisation",
    run: ({ person, other }) => person.owner.get(at(other)),
  },
  {
    name: "read another's projects",
    run: ({ person, other }) => person.owner.get(at(other, "/projects")),
  },
  {
    name: "read another's keys",
    run: ({ person, other }) => person.owner.get(at(other, "/keys")),
  },
  {
    name: "read another's spending",
    run: ({ person, other }) => person.owner.get(at(other, "/use")),
  },
  {
    name: "rename a project of another organisation through one's own",
    run: ({ person, other, project }) =>
      person.stranger.put(at(other, "/projects"), { project, name: "mine" }),
  },
  {
    name: "close a project of another organisation through one's own",
    run: ({ person, other, project }) =>
      person.stranger.put(at(other, "/projects"), { project, state: "closed" }),
  },
  {
    name: "make a key in a project of another organisation",
    run: ({ person, other, project }) =>
      person.stranger.post(at(other, "/keys"), { project, name: "spy" }),
  },
  {
    name: "reveal a key of another organisation through one's own",
    run: ({ person, other, danasKey }) =>
      person.stranger.post(at(other, "/keys/reveal"), { token: danasKey }),
  },
  {
    name: "remove a key of another organisation through one's own",
    run: ({ person, other, danasKey }) =>
      person.stranger.post(at(other, "/keys/remove"), { token: danasKey }),
  },
  {
    name: "disable a key of another organisation through one's own",
    run: ({ person, other, serviceKey }) =>
      person.stranger.put(at(other, "/keys"), { token: serviceKey, enabled: false }),
  },
  {
    name: "reveal a colleague's key as a developer",
    run: ({ person, id, danasKey }) =>
      person.developer.post(at(id, "/keys/reveal"), { token: danasKey }),
  },
  {
    name: "remove a colleague's key as a developer",
    run: ({ person, id, danasKey }) =>
      person.developer.post(at(id, "/keys/remove"), { token: danasKey }),
  },
  {
    name: "reveal a key of the organisation by the endpoint for one's own tokens",
    run: ({ dana, danasKey }) => dana.post(`/api/token/${danasKey}/key`),
  },
  {
    name: "edit a key of the organisation as one's own token",
    run: ({ dana, danasKey }) => dana.put("/api/token/", { id: danasKey, name: "mine" }),
  },
  {
    name: "reveal a personal token as an organisation's key",
    run: async ({ person, id }) => {
      const body = { name: "own", unlimited_quota: true };
      const made = dataOf<{ id: number }>(await person.reader.post("/api/token/", body));
      return await person.owner.post(at(id, "/keys/reveal"), { token: made.id });
    },
  },
  {
    name: "make a service key as a developer",
    run: ({ person, id, project }) =>
      person.developer.post(at(id, "/keys"), { project, name: "bot", service: true }),
  },
  {
    name: "make oneself an owner as an admin",
    run: ({ person, id }) =>
      person.admin.put(at(id, "/memberships"), { user_id: person.admin.id, role: "owner" }),
  },
  {
    name: "make oneself an admin as a developer",
    run: ({ person, id }) =>
      person.developer.put(at(id, "/memberships"), { user_id: person.developer.id, role: "admin" }),
  },
  {
    name: "demote an owner as an admin",
    run: ({ person, id }) =>
      person.admin.put(at(id, "/memberships"), { user_id: person.owner.id, role: "reader" }),
  },
  {
    name: "put an owner out as an admin",
    run: ({ person, id }) =>
      person.admin.post(at(id, "/memberships/end"), { user_id: person.owner.id }),
  },
  {
    name: "take the ownership as an admin",
    run: ({ person, id }) => person.admin.post(at(id, "/owner"), { user_id: person.admin.id }),
  },
  {
    name: "put a colleague out as a developer",
    run: ({ person, dana, id }) =>
      person.developer.post(at(id, "/memberships/end"), { user_id: dana.id }),
  },
  {
    name: "put somebody out of another organisation",
    run: ({ person, dana, id }) =>
      person.stranger.post(at(id, "/memberships/end"), { user_id: dana.id }),
  },
  {
    name: "give a stranger a role without an invitation",
    run: ({ person, id }) =>
      person.owner.put(at(id, "/memberships"), { user_id: person.stranger.id, role: "reader" }),
  },
  {
    name: "give the ownership to a stranger",
    run: ({ person, id }) => person.owner.post(at(id, "/owner"), { user_id: person.stranger.id }),
  },
  {
    name: "leave as the last owner",
    run: ({ person, id }) =>
      person.owner.post(at(id, "/memberships/end"), { user_id: person.owner.id }),
  },
  {
    name: "step down as the last owner",
    run: ({ person, id }) =>
      person.owner.put(at(id, "/memberships"), { user_id: person.owner.id, role: "admin" }),
  },
  {
    name: "delete the last owner's account",
    run: async ({ person, root }) =>
      await root.post("/api/user/manage", { id: person.owner.id, action: "delete" }),
  },
  {
    name: "delete one's own account as the last owner",
    run: ({ person, gateway }) =>
      gateway.call("DELETE", `/api/user/self?username=owner`, { headers: person.owner.headers }),
  },
  {
    name: "invite an owner as an admin",
    run: ({ person, id }) => person.admin.post(at(id, "/invitations"), { role: "owner" }),
  },
  {
    name: "join by an invented secret",
    run: ({ person }) =>
      person.stranger.post(at(0, "").replace("/0", "/join"), { secret: "a".repeat(43) }),
  },
  {
    name: "use an invitation twice",
    run: async ({ person, id, root, gateway }) => {
      const secret = await invitationOf(person.owner, id, "reader");
      const [first, second] = [await gateway.user("first"), await gateway.user("second")];
      dataOf(await first.post("/api/organisation/join", { secret }));
      dataOf(await root.post(at(id, "/memberships/end"), { user_id: first.id }));
      return await second.post("/api/organisation/join", { secret });
    },
  },
  {
    name: "use a withdrawn invitation",
    run: async ({ person, id }) => {
      const path = at(id, "/invitations");
      const made = dataOf<{ id: number; secret: string }>(
        await person.owner.post(path, { role: "reader" }),
      );
      dataOf(await person.owner.post(`${path}/withdraw`, { invitation: made.id }));
      return await person.stranger.post("/api/organisation/join", { secret: made.secret });
    },
  },
  {
    name: "withdraw an invitation of another organisation",
    run: async ({ person, id, other }) => {
      const made = dataOf<{ id: number }>(
        await person.owner.post(at(id, "/invitations"), { role: "reader" }),
      );
      const path = at(other, "/invitations/withdraw");
      return await person.stranger.post(path, { invitation: made.id });
    },
  },
  {
    name: "use an invitation whose maker may not invite any more",
    run: async ({ person, id, gateway }) => {
      const maker = await gateway.user("maker");
      await join(person.owner, id, "admin", maker);
      const secret = await invitationOf(maker, id, "admin");
      dataOf(await maker.post(at(id, "/memberships/end"), { user_id: maker.id }));
      return await person.stranger.post("/api/organisation/join", { secret });
    },
  },
  {
    name: "raise one's role by a second invitation",
    run: async ({ person, id }) => {
      const secret = await invitationOf(person.owner, id, "admin");
      return await person.reader.post("/api/organisation/join", { secret });
    },
  },
  {
    name: "move quota out as a developer",
    run: ({ person, id }) => transfer(person.developer, id, "out", 1),
  },
  {
    name: "move quota out of another organisation",
    run: ({ person, id }) => transfer(person.stranger, id, "out", 1),
  },
  {
    name: "move a negative amount in",
    run: ({ person, id }) => transfer(person.owner, id, "in", -5),
  },
  {
    name: "move nothing",
    run: ({ person, id }) => transfer(person.owner, id, "in", 0),
  },
  {
    name: "move half a unit",
    run: ({ person, id }) => transfer(person.owner, id, "in", 0.5),
  },
  {
    name: "move more in than one has",
    run: ({ person, id }) => transfer(person.owner, id, "in", 1_000_000),
  },
  {
    name: "move more out than there is",
    run: ({ person, id }) => transfer(person.owner, id, "out", 1_000_000),
  },
  {
    name: "move an amount beyond all numbers",
    run: ({ person, id }) => transfer(person.owner, id, "in", 2 ** 53),
  },
  {
    name: "close the organisation as an admin",
    run: ({ person, id }) => person.admin.post(at(id, "/close"), { handle: "acme" }),
  },
  {
    name: "close the organisation without typing its handle",
    run: ({ person, id }) => person.owner.post(at(id, "/close"), { handle: "" }),
  },
  {
    name: "close it while it has a balance",
    run: ({ person, id }) => person.owner.post(at(id, "/close"), { handle: "acme" }),
  },
  {
    name: "act for another organisation by the header",
    run: (scene) =>
      forOrganisation(scene, scene.person.stranger, scene.id)("GET", "/api/user/self"),
  },
  {
    name: "act for a person by the header",
    run: (scene) =>
      forOrganisation(scene, scene.person.owner, scene.dana.id)("GET", "/api/user/self"),
  },
  {
    name: "act for an organisation by two of its numbers",
    run: ({ gateway, person, id, other }) =>
      gateway.call("GET", "/api/user/self", {
        headers: { ...person.owner.headers, "new-api-organisation": `${id},${other}` },
      }),
  },
  {
    name: "make a token without a project by the header",
    run: (scene) =>
      forOrganisation(scene, scene.person.owner, scene.id)("POST", "/api/token/", { name: "k" }),
  },
  {
    name: "enable a key by the header while its project is suspended",
    run: async (scene) => {
      const { person, id, serviceKey: token } = scene;
      const body = { id: token, status: 1 };
      const call = forOrganisation(scene, person.owner, id);
      return await call("PUT", "/api/token/?status_only=true", body);
    },
  },
  {
    name: "sign in as the organisation's account",
    run: ({ gateway }) =>
      gateway.call("POST", "/api/user/login", { body: { username: "@acme", password: "" } }),
  },
  {
    name: "give the organisation's account a password as root",
    run: ({ root, id }) =>
      root.put("/api/user/", { id, password: "a long enough password", username: "@acme" }),
  },
  {
    name: "promote the organisation's account to an admin",
    run: ({ root, id }) => root.post("/api/user/manage", { id, action: "promote" }),
  },
  {
    name: "read the organisation's account as an admin of the installation",
    run: async ({ gateway, id }) => (await gateway.user("official", 10)).get(`/api/user/${id}`),
  },
  {
    name: "register a person under an organisation's name",
    run: ({ gateway }) =>
      gateway.call("POST", "/api/user/register", {
        body: { username: "@acme", password: "a long enough password" },
      }),
  },
  {
    name: "make a second organisation of the same handle",
    run: ({ root }) =>
      root.post("/api/organisation/", { name: "Acme", handle: "acme", owner: "stranger" }),
  },
  {
    name: "make an organisation that an organisation owns",
    run: ({ root }) =>
      root.post("/api/organisation/", { name: "Nested", handle: "nested", owner: "@acme" }),
  },
  {
    name: "put the organisation into a group that there is not",
    run: ({ root, id }) =>
      root.put(at(id, "").replace("organisation/", "organisation/all/"), { group: "no" }),
  },
];
