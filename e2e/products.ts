/**
 * The products of a run, one for each worker. A product is started when its worker first asks for
 * it. It is kept for later workers with the same index, which Playwright starts for other projects
 * and after a failure.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Account,
  type Api,
  type Product,
  rootAccount,
  type Session,
  signIn,
  startProduct,
} from "./product.ts";

export type Role = "root" | "admin" | "user";

/** Name of the environment variable with this service's address, which workers inherit. */
const addressName = "TOLLGATE_E2E_PRODUCTS";

/** A product with a demo upstream, and its accounts. */
export type Installed = {
  readonly origin: string;
  /** Base URL of the demo upstream, for channels. */
  readonly upstream: string;
  /**
   * The key of a token of root's, with the prefix `sk-`; `model` is a model that the token can
   * call.
   */
  readonly key: string;
  readonly model: string;
  readonly accounts: Readonly<Record<Role, Account>>;
  /** One session for each role. */
  readonly sessions: Readonly<Record<Role, Session>>;
};

/** Returns the product of this worker. */
export async function productOf(parallelIndex: number): Promise<Installed> {
  return (await askForProduct(`/${parallelIndex}`)) as Installed; // Safe cast: `installed` made it.
}

/** Returns what the run's service says about its product for this path. */
export async function askForProduct(path: string): Promise<unknown> {
  const answer = await fetch(`${process.env[addressName]}${path}`);
  if (!answer.ok) throw new Error(await answer.text());
  return await answer.json();
}

// oxlint-disable-next-line import/no-default-export -- Playwright calls it before the first worker
export default async function startProducts(): Promise<() => Promise<void>> {
  return await serveProducts(async (started) => {
    const product = await startProduct({ demo: true, account: rootAccount });
    started.push(product);
    return await installedOf(product);
  });
}

/**
 * Starts the service that workers ask for products. It keeps one for each path.
 *
 * @param install starts the product for a path, adds it to `started`, and returns what workers are
 * told about it
 * @returns a function that stops the service and its products
 */
export async function serveProducts(
  install: (started: Product[], path: string) => Promise<object>,
): Promise<() => Promise<void>> {
  const started: Product[] = [];
  const installed = new Map<string, Promise<object>>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    if (!installed.has(path)) installed.set(path, install(started, path));
    installed
      .get(path)
      ?.then((found) => response.end(JSON.stringify(found)))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Safe cast: a server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  process.env[addressName] = `http://127.0.0.1:${port}`;
  return async () => {
    server.close();
    server.closeAllConnections();
    await Promise.allSettled(installed.values());
    await Promise.all(started.map((product) => product.stop()));
  };
}

/**
 * Adds the accounts of the journeys to a product with a demo upstream, and describes it.
 *
 * @param hasChecklist whether the product has a start page; earlier versions have none
 */
export async function installedOf(product: Product, hasChecklist = true): Promise<Installed> {
  const { origin } = product;
  const root = await signIn(origin, rootAccount);
  // Switches the limit off, because journeys of one session make calls faster than any person.
  await root.call("PUT", "/api/option/", { key: "ConsoleRequestsPerMinute", value: "0" });
  // A demo gives new accounts a dollar; journeys begin with nothing, as on other installations.
  await root.call("PUT", "/api/option/", { key: "QuotaForNewUser", value: "0" });
  const admin = await addUser(root, "admin1");
  await root.call("POST", "/api/user/manage", { username: admin.username, action: "promote" });
  const user = await addUser(root, "user1");
  const sessions = { root, admin: await signIn(origin, admin), user: await signIn(origin, user) };
  if (hasChecklist) await hideChecklists(sessions);
  const output = product.output();
  return {
    origin,
    upstream: /Demo upstream .* is at (\S+)/.exec(output)?.[1] ?? "",
    key: /Bearer (sk-\w+)/.exec(output)?.[1] ?? "",
    model: /"model":"([^"]+)"/.exec(output)?.[1] ?? "",
    accounts: { root: rootAccount, admin, user },
    sessions,
  };
}

/** Hides the start page, so that a sign-in leads to the tokens, as it does after a first call. */
async function hideChecklists({ root, admin, user }: Readonly<Record<Role, Api>>): Promise<void> {
  const hide = { name: "dismissed", marked: true };
  await root.call("PUT", "/api/setup/checklist", hide);
  for (const api of [admin, user]) await api.call("PUT", "/api/user/checklist", hide);
}

/** Makes a user, who then chooses a password. Returns its account. */
export async function addUser(root: Api, username: string): Promise<Account> {
  const account = { username, password: `password of ${username}` };
  const given = { username, password: "a password that root gives" };
  await root.call("POST", "/api/user/", { ...given, display_name: username });
  const first = await signIn(root.origin, given);
  await first.call("PUT", "/api/user/self", { password: account.password });
  return account;
}
