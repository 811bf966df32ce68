/** An organisation with somebody in each role, and a stranger who owns another one. */

import type { Dialect } from "#db/dialect.ts";
import { type Answer, type Client, openTestConsole, type TestConsole } from "./open-console.ts";

/** The callers of the table of rights, in the order of its columns. */
export const people = ["owner", "admin", "billing", "developer", "reader", "stranger"] as const;
type PersonName = (typeof people)[number];

export type Scene = {
  readonly gateway: TestConsole;
  readonly root: Client;
  readonly person: Readonly<Record<PersonName, Client>>;
  /** A second developer, about whose things the rows are. */
  readonly dana: Client;
  /** Ids of the organisation, its first project, and of the stranger's own organisation. */
  readonly id: number;
  readonly project: number;
  readonly other: number;
  /** Ids of Dana's key and of a service key. */
  readonly danasKey: number;
  readonly serviceKey: number;
};

export function dataOf<Data>({ body }: Answer): Data {
  if (body.success !== true) throw new Error(body.message);
  // Safe cast: callers name the data that they expect, and assert on it.
  return body.data as Data;
}

/** What everybody's own balance begins with. */
export const ownQuota = 10_000;

type Made = { readonly id: number };

export async function openScene(dialect: Dialect): Promise<Scene> {
  const gateway = await openTestConsole(dialect);
  gateway.setOptions({ QuotaForNewUser: String(ownQuota) });
  const root = await gateway.root();
  const names = [...people, "dana"] as const;
  const clients = new Map<string, Client>();
  for (const name of names) clients.set(name, await gateway.user(name));
  const of = (name: string): Client => {
    const client = clients.get(name);
    if (client === undefined) throw new Error(`nobody is called ${name}`);
    return client;
  };
  const { id } = await found(root, { name: "Acme", handle: "acme", owner: "owner" });
  const rival = await found(root, { name: "Rival", handle: "rival", owner: "stranger" });
  const person = Object.fromEntries(people.map((name) => [name, of(name)])) as Scene["person"];
  for (const role of ["admin", "billing", "developer", "reader"] as const) {
    await join(person.owner, id, role, person[role]);
  }
  const dana = of("dana");
  await join(person.owner, id, "developer", dana);
  const [first] = dataOf<Made[]>(await dana.get(`/api/organisation/${id}/projects`));
  const project = first?.id ?? 0;
  const key = async (client: Client, body: object): Promise<number> => {
    const path = `/api/organisation/${id}/keys`;
    const given = { project, name: "key", unlimited_quota: true, ...body };
    return dataOf<Made>(await client.post(path, given)).id;
  };
  const danasKey = await key(dana, {});
  const serviceKey = await key(person.owner, { service: true });
  return { gateway, root, person, dana, id, project, other: rival.id, danasKey, serviceKey };
}

export async function found(root: Client, given: object): Promise<Made> {
  return dataOf<Made>(await root.post("/api/organisation/", given));
}

export async function invitationOf(by: Client, id: number, role: string): Promise<string> {
  const path = `/api/organisation/${id}/invitations`;
  return dataOf<{ secret: string }>(await by.post(path, { role })).secret;
}

export async function join(by: Client, id: number, role: string, who: Client): Promise<void> {
  const secret = await invitationOf(by, id, role);
  dataOf(await who.post("/api/organisation/join", { secret }));
}

/** Makes a client's calls for an organisation. */
export function forOrganisation({ gateway }: Pick<Scene, "gateway">, client: Client, id: number) {
  const headers = { ...client.headers, "new-api-organisation": String(id) };
  return async (method: string, path: string, body?: object): Promise<Answer> =>
    await gateway.call(method, path, { headers, ...(body === undefined ? {} : { body }) });
}
