/**
 * The console API of accounts and tokens over an empty database. Tests call it with requests as a
 * browser or a program sends them. The modules are the product's, on the ports of `ports.ts`.
 */

import { role, shortUser } from "@tollgate/contract/endpoints/users.ts";
import { z } from "zod";
import { openByteBudget } from "#base/memory/byte-budget.ts";
import { openRateLimits } from "#base/rate-limit.ts";
import type { Db } from "#db/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { runTogether } from "#db/store.ts";
import { openTestDatabase } from "#db/testing/database.ts";
import { openConsole } from "#http/edge.ts";
import { joinPageSources, type PageSources } from "#http/security-headers.ts";
import type { Ports } from "#modules/module.ts";
import { joinModules, openModules, type OpenModules } from "#modules.ts";
import { stores as productStores } from "#workers/stores.ts";
import type { RemoteStores } from "#workers/store-client.ts";
import {
  bindStores,
  openPorts,
  openSurroundings,
  type OptionTexts,
  putOptions,
  standIns,
  type Surroundings,
} from "./ports.ts";

const anyBody = z.looseObject({
  success: z.boolean().optional(),
  message: z.string().optional(),
  data: z.unknown().optional(),
});

export type Answer = {
  readonly status: number;
  /** The whole answer, as the API's envelope. */
  readonly body: z.infer<typeof anyBody>;
  readonly headers: Headers;
};

export type Client = {
  readonly id: number;
  readonly username: string;
  /** Headers that a request needs to be authenticated as this client. */
  readonly headers: Readonly<Record<string, string>>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: object): Promise<Answer>;
  put(path: string, body: object): Promise<Answer>;
  delete(path: string): Promise<Answer>;
};

export type TestConsole = Surroundings & {
  readonly db: Db;
  readonly stores: RemoteStores;
  readonly ports: Ports;
  readonly modules: OpenModules;
  readonly visitor: Client;
  readonly setupToken: string;
  /** Makes these options apply, as if root had saved them; all others return to their defaults. */
  setOptions(texts: OptionTexts): void;
  /** Runs a background job of the modules once. */
  runJob(name: string): Promise<void>;
  pageSources(): PageSources;
  call(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** Calls as the server of a payment processor does, with fields in query or form. */
  callRaw(
    path: string,
    fields: Readonly<Record<string, string>>,
    how: "get" | "post",
  ): Promise<RawAnswer>;
  /** The same with any query and, if there is one, any form. */
  callRawText(
    path: string,
    form?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<RawAnswer>;
  /**
   * Runs calls while every function of a store fails, or only the named one, as it does while the
   * database is away.
   */
  callRawWithout<Result>(
    store: keyof RemoteStores,
    calls: () => Promise<Result>,
    name?: string,
  ): Promise<Result>;
  /** Returns the root account, signed in. The first call creates it. */
  root(): Promise<Client>;
  /** Creates an account, as if its user had chosen the password, and signs it in. */
  user(username: string, userRole?: number): Promise<Client>;
  signIn(username: string, password?: string): Promise<Client>;
  close(): Promise<void>;
};

type RawAnswer = { readonly status: number; readonly text: string };

type Sent = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly clientIp?: string;
};

export const testPassword = "correct horse";

export async function openTestConsole(
  dialect: Dialect,
  given: Partial<Surroundings> = {},
): Promise<TestConsole> {
  const { db, close } = await openTestDatabase(dialect);
  const around = { ...openSurroundings(), ...given };
  const { clock } = around;
  const ports: Ports = {
    ...openPorts(dialect, around),
    together: async (calls) =>
      await db.transaction().execute(async (tx) => await runTogether(productStores, tx, calls)),
  };
  const { stores, without } = failing(bindStores(db));
  const modules = openModules(ports, stores, standIns(around));
  const { handlers, jobs, pageSources } = joinModules(modules);
  const answer = openConsole({
    handlers,
    authenticate: modules.sessions.face.authenticate,
    requireStepUp: modules.secondFactor.face.requireStepUp,
    actFor: modules.organisations.face.actFor,
    limits: openRateLimits({ now: () => clock.nowMs }),
    budget: openByteBudget(64 * 1024 * 1024),
    requestsPerMinute: () => 0,
    serverAddress: () => "",
    errorText: (message) => message,
    log: ports.log,
  });
  let requests = 0;
  const call = async (method: string, path: string, sent: Sent = {}): Promise<Answer> => {
    const request = new Request(`https://gateway.test${path}`, {
      method,
      headers: { "content-type": "application/json", ...sent.headers },
      body: sent.body === undefined ? null : JSON.stringify(sent.body),
    });
    requests += 1;
    const meta = { clientIp: sent.clientIp ?? "203.0.113.9", requestId: `request-${requests}` };
    const response = await answer(request, meta);
    return {
      status: response.status,
      body: anyBody.parse(await response.json()),
      headers: response.headers,
    };
  };
  const rawCalls = openRawCalls(answer);
  const { makeSetupToken, createRoot } = modules.installation.face;
  const setupToken = await makeSetupToken();
  const makeRoot = (username: string) => createRoot({ username, password: testPassword });
  const people = openPeople(db, clock, call, makeRoot);
  const setOptions = (texts: OptionTexts) => putOptions(ports.options, ports.secrets, texts);
  const runJob = async (name: string) => await jobs.find((job) => job.name === name)?.run();
  return {
    ...around,
    ...people,
    db,
    stores,
    ports,
    modules,
    setupToken,
    setOptions,
    runJob,
    pageSources: () => joinPageSources(pageSources()),
    ...rawCalls,
    callRawWithout: without,
    call,
    close,
  };
}

/** Makes calls as the server of a payment processor does: no JSON, and a plain answer. */
function openRawCalls(
  answer: ReturnType<typeof openConsole>,
): Pick<TestConsole, "callRaw" | "callRawText"> {
  const callRawText: TestConsole["callRawText"] = async (path, form, headers = {}) => {
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const request = new Request(`https://gateway.test${path}`, {
      method: form === undefined ? "GET" : "POST",
      ...(form === undefined ? { headers } : { headers: { ...type, ...headers }, body: form }),
    });
    const meta = { clientIp: "198.51.100.7", requestId: `raw-${crypto.randomUUID()}` };
    const response = await answer(request, meta);
    return { status: response.status, text: await response.text() };
  };
  return {
    callRawText,
    async callRaw(path, fields, how) {
      const text = new URLSearchParams(fields).toString();
      return how === "get" ? await callRawText(`${path}?${text}`) : await callRawText(path, text);
    },
  };
}

/** Wraps stores, so that a test can let one fail. */
function failing(stores: RemoteStores) {
  let away: { readonly noun: string; readonly only: string | undefined } | null = null;
  const wrapped = Object.entries(stores).map(([noun, store]) => [
    noun,
    new Proxy(store, {
      get(target, name, receiver) {
        if (noun === away?.noun && (away.only ?? name) === name) {
          return () => Promise.reject(new Error("the database is away"));
        }
        return Reflect.get(target, name, receiver);
      },
    }),
  ]);
  return {
    // Safe cast: each store is wrapped under its own name.
    stores: Object.fromEntries(wrapped) as RemoteStores,
    async without<Result>(
      noun: keyof RemoteStores,
      calls: () => Promise<Result>,
      only?: string,
    ): Promise<Result> {
      away = { noun, only };
      try {
        return await calls();
      } finally {
        away = null;
      }
    },
  };
}

type Call = TestConsole["call"];

/** A session of root lasts this long. Tests often move the clock past its end. */
const rootSessionMs = 600_000;

function openPeople(
  db: Db,
  clock: TestConsole["clock"],
  call: Call,
  makeRoot: (username: string) => Promise<number>,
) {
  const clientOf = (headers: Readonly<Record<string, string>>, id = 0, username = ""): Client => ({
    id,
    username,
    headers,
    get: (path) => call("GET", path, { headers }),
    post: (path, body) => call("POST", path, { headers, ...(body === undefined ? {} : { body }) }),
    put: (path, body) => call("PUT", path, { headers, body }),
    delete: (path) => call("DELETE", path, { headers }),
  });
  const signIn = async (username: string, password = testPassword): Promise<Client> => {
    const body = { username, password };
    const answer = await call("POST", "/api/user/login", { body });
    if (!answer.body.success) throw new Error(answer.body.message);
    const { id } = shortUser.parse(answer.body.data);
    const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    return clientOf({ cookie, "new-api-user": String(id) }, id, username);
  };
  let made: Promise<number> | undefined;
  let root: { readonly client: Promise<Client>; readonly signedInMs: number } | undefined;
  const getRoot = async (): Promise<Client> => {
    made ??= makeRoot("root");
    await made;
    if (root === undefined || Math.abs(clock.nowMs - root.signedInMs) > rootSessionMs) {
      root = { client: signIn("root"), signedInMs: clock.nowMs };
    }
    return await root.client;
  };
  return {
    visitor: clientOf({}),
    signIn,
    root: getRoot,
    async user(username: string, userRole: number = role.enum.user): Promise<Client> {
      const body = { username, password: testPassword };
      const created = await (await getRoot()).post("/api/user/", body);
      if (!created.body.success) throw new Error(created.body.message);
      await db
        .updateTable("users")
        .set({ role: userRole, password_expired: 0 })
        .where("username", "=", username)
        .execute();
      return await signIn(username);
    },
  };
}
