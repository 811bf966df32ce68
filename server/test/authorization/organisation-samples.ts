/** What to send to the routes of organisations, as `samples.ts` does for all others. */

import { type Account, addAccount, type CallerName } from "./callers.ts";
import type { Make, Place, Sample } from "./samples.ts";
import { dataOf } from "./send.ts";

const name = "organisation-of-the-matrix";

type Made = { readonly id: number };

/** An organisation of the owner, with its project and a key in it. */
type Organisation = Made & {
  readonly handle: string;
  readonly project: number;
  readonly key: number;
};

async function anOrganisation({ people, send }: Place): Promise<Organisation> {
  const { owner, callers } = people;
  const handle = `m${crypto.randomUUID().slice(0, 8)}`;
  const body = { name, handle, owner: owner.username };
  const { id } = dataOf<Made>(await send(callers.root, "POST", "/api/organisation/", body));
  const path = `/api/organisation/${id}`;
  const [first] = dataOf<Made[]>(await send(callers.owner, "GET", `${path}/projects`));
  const project = first?.id ?? 0;
  const key = { project, name: "matrix", unlimited_quota: true };
  const made = dataOf<Made>(await send(callers.owner, "POST", `${path}/keys`, key));
  return { id, handle, project, key: made.id };
}

const shared = new WeakMap<Place, Promise<Organisation>>();

async function theOrganisation(place: Place): Promise<Organisation> {
  const known = shared.get(place) ?? anOrganisation(place);
  shared.set(place, known);
  return await known;
}

const allowed: readonly CallerName[] = [
  "owner",
  "owner's access token",
  "root",
  "root's access token",
];

/** A new organisation for callers who end something of it; the others are refused at the shared one. */
async function oneToEnd(place: Place, caller: CallerName): Promise<Organisation> {
  return await (allowed.includes(caller) ? anOrganisation(place) : theOrganisation(place));
}

const guests = new WeakMap<Place, Promise<Account>>();

/** Lets a guest join a new organisation. */
async function withGuest(place: Place, caller: CallerName): Promise<Sample> {
  const { people, send } = place;
  const guest = guests.get(place) ?? addAccount(send, people.callers.root, 1);
  guests.set(place, guest);
  const { id: user_id, headers } = await guest;
  const { id } = await oneToEnd(place, caller);
  if (allowed.includes(caller)) {
    const secret = await aSecret(place, id);
    dataOf(await send(headers, "POST", "/api/organisation/join", { secret }));
  }
  return { id, body: { user_id } };
}

async function invitation({ people, send }: Place, id: number): Promise<Made & { secret: string }> {
  const path = `/api/organisation/${id}/invitations`;
  return dataOf(await send(people.callers.owner, "POST", path, { role: "reader" }));
}

const secrets = new WeakMap<Place, Promise<string>>();

/** The same invitation for all who only look at it, because few can be made in an hour. */
async function sharedSecret(place: Place): Promise<string> {
  const made = async (): Promise<string> => await aSecret(place, (await theOrganisation(place)).id);
  const known = secrets.get(place) ?? made();
  secrets.set(place, known);
  return await known;
}

/** Callers whom the guard lets through to what every user may call. */
const users: readonly CallerName[] = [
  ...allowed,
  "other user",
  "admin",
  "other admin",
  "admin's access token",
];

async function aSecret(place: Place, id: number): Promise<string> {
  return (await invitation(place, id)).secret;
}

/** Reads of the shared organisation. */
const about =
  (mark?: string): Make =>
  async (place) => ({ id: (await theOrganisation(place)).id, ...(mark ? { mark } : {}) });

/** Changes of the shared organisation. */
const change =
  (bodyOf: (of: Organisation) => object): Make =>
  async (place) => {
    const of = await theOrganisation(place);
    return { id: of.id, body: bodyOf(of) };
  };

const random = () => crypto.randomUUID();

export const organisationSamples: Readonly<Record<string, Make>> = {
  "GET /api/organisation/": async (place) => {
    await theOrganisation(place);
    return { mark: name };
  },
  "GET /api/organisation/:id": about(name),
  "GET /api/organisation/:id/invitations": about(),
  "GET /api/organisation/:id/keys": about("matrix"),
  "GET /api/organisation/:id/memberships": async (place) => ({
    id: (await theOrganisation(place)).id,
    mark: place.people.owner.username,
  }),
  "GET /api/organisation/:id/projects": about("main"),
  "GET /api/organisation/:id/use": about(),
  "POST /api/organisation/": ({ people }) => ({
    body: { name, handle: `n${random().slice(0, 8)}`, owner: people.owner.username },
  }),
  "POST /api/organisation/:id/adjust": change(() => ({ amount: 10 })),
  "POST /api/organisation/:id/close": async (place, caller) => {
    const { id, handle } = await oneToEnd(place, caller);
    return { id, body: { handle } };
  },
  "POST /api/organisation/:id/invitations": change(() => ({ role: "reader" })),
  "POST /api/organisation/:id/invitations/withdraw": async (place, caller) => {
    const { id } = await theOrganisation(place);
    const made = allowed.includes(caller) ? (await invitation(place, id)).id : 1;
    return { id, body: { invitation: made } };
  },
  "POST /api/organisation/:id/keys": change(({ project }) => ({ project, name: "made" })),
  "POST /api/organisation/:id/keys/remove": async (place, caller) => {
    const { id, key: token } = await oneToEnd(place, caller);
    return { id, body: { token } };
  },
  "POST /api/organisation/:id/keys/reveal": change(({ key }) => ({ token: key })),
  "POST /api/organisation/:id/memberships/end": withGuest,
  "POST /api/organisation/:id/owner": withGuest,
  "POST /api/organisation/:id/projects": change(() => ({ name: random() })),
  "POST /api/organisation/:id/transfer": async (place) => {
    const { people, send } = place;
    const { id } = await theOrganisation(place);
    const path = `/api/organisation/${id}/adjust`;
    dataOf(await send(people.callers.root, "POST", path, { amount: 1 }));
    return { id, body: { direction: "out", amount: 1 } };
  },
  "POST /api/organisation/invitation": async (place) => ({
    body: { secret: await sharedSecret(place) },
  }),
  // Whoever joins belongs to it, so each caller joins another one.
  "POST /api/organisation/join": async (place, caller) => ({
    body: {
      secret: users.includes(caller)
        ? await aSecret(place, (await anOrganisation(place)).id)
        : await sharedSecret(place),
    },
  }),
  "PUT /api/organisation/:id": change(() => ({ name })),
  "PUT /api/organisation/:id/keys": change(({ key }) => ({ token: key, enabled: true })),
  "PUT /api/organisation/:id/memberships": async (place) => ({
    id: (await theOrganisation(place)).id,
    body: { user_id: place.people.owner.id, role: "owner" },
  }),
  "PUT /api/organisation/:id/projects": change(({ project }) => ({ project, name: "main" })),
  "PUT /api/organisation/all/:id": change(() => ({ group: "default" })),
};
