/**
 * The console API of accounts and tokens over an empty database, called by requests as a browser
 * or a program sends them. Passwords are not hashed here: that is slow, and tested where it is.
 */

import { randomBytes } from "node:crypto";
import { role, shortUser } from "@tollgate/contract/users.ts";
import { z } from "zod";
import { openLogger } from "#base/logger.ts";
import { openRateLimits } from "#base/rate-limit.ts";
import { openSecrets, randomText, type Secrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase } from "#db/testing/database.ts";
import { openSessionCookie } from "#http/cookie.ts";
import { openConsole } from "#http/edge.ts";
import { systemActor } from "#modules/audit/audit.ts";
import { installationHandlers } from "#modules/installation/installation.handlers.ts";
import { installationStore } from "#modules/installation/installation.store.ts";
import { createRoot, openBootstrap } from "#modules/installation/installation.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import { openSettingReader, type Outbound } from "#modules/notifications/notifications.ts";
import { notificationStore } from "#modules/notifications/notifications.store.ts";
import { refuseCommonPassword } from "#modules/sign-in/common-passwords.ts";
import { openSessions } from "#modules/sign-in/sessions.ts";
import { signInHandlers } from "#modules/sign-in/sign-in.handlers.ts";
import { signInStore } from "#modules/sign-in/sign-in.store.ts";
import { tokenHandlers } from "#modules/tokens/tokens.handlers.ts";
import { tokenStore } from "#modules/tokens/tokens.store.ts";
import { userHandlers } from "#modules/users/users.handlers.ts";
import { userStore } from "#modules/users/users.store.ts";
import { openTestSecondFactor, ownAccountHandlers } from "./open-own-account.ts";
import { openTestWays, type TestWays } from "./open-ways.ts";

const anyBody = z.looseObject({
  success: z.boolean().optional(),
  message: z.string().optional(),
  data: z.unknown().optional(),
});

export type Answer = {
  readonly status: number;
  /** The whole envelope. */
  readonly body: z.infer<typeof anyBody>;
  readonly headers: Headers;
};

export type Client = {
  readonly id: number;
  readonly username: string;
  /** Headers that say who calls. */
  readonly headers: Readonly<Record<string, string>>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: object): Promise<Answer>;
  put(path: string, body: object): Promise<Answer>;
  delete(path: string): Promise<Answer>;
};

export type TestConsole = {
  readonly db: Db;
  readonly visitor: Client;
  /** What the tested rules read besides; changed by a test as it likes. */
  readonly settings: {
    passwordLoginEnabled: boolean;
    quotaForNewUser: number;
    groups: string[];
    /** What passkeys are bound to. */
    serverAddress: string;
  };
  /** Unix milliseconds; moved by tests. */
  readonly clock: { nowMs: number };
  readonly secrets: Secrets;
  readonly setupToken: string;
  /** Options, letters and providers of the ways besides a password. */
  readonly ways: TestWays;
  /** What went to addresses that users name, oldest first, and what is answered there. */
  readonly outside: {
    readonly sent: Parameters<Outbound>[0][];
    answer: Awaited<ReturnType<Outbound>>;
  };
  call(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** The root account, made on first use, signed in. */
  root(): Promise<Client>;
  /** A new account, signed in. */
  user(username: string, userRole?: number): Promise<Client>;
  signIn(username: string, password?: string): Promise<Client>;
  close(): Promise<void>;
};

export type Sent = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly clientIp?: string;
};

export const testPassword = "correct horse";

/** The judge of running calls, where nothing runs: every write may happen. */
const idleMoney: Money = {
  moveUser: (_userId, _amount, write) => write(),
  moveToken: (_tokenId, _amount, write) => write(),
  openedUser: () => {},
  openedToken: () => {},
};

export async function openTestConsole(dialect: Dialect): Promise<TestConsole> {
  const { db, close } = await openTestDatabase(dialect);
  const clock = { nowMs: Date.parse("2026-11-21T12:00:00Z") };
  const settings = {
    passwordLoginEnabled: true,
    quotaForNewUser: 0,
    groups: ["default", "vip"],
    serverAddress: "https://gateway.test",
  };
  const setupToken = randomText(43);
  const outside: TestConsole["outside"] = { sent: [], answer: { ok: true, text: "" } };
  const outbound = outboundTo(outside);
  const serverAddress = (): string => settings.serverAddress;
  const secrets = openSecrets(randomBytes(32).toString("hex"));
  const around = { clock, settings, secrets, setupToken, outbound, serverAddress };
  const parts = openParts(db, dialect, around);
  const answer = openConsole({
    handlers: parts.handlers,
    authenticate: parts.sessions.authenticate,
    requireStepUp: parts.secondFactor.requireStepUp,
    limits: openRateLimits({ now: () => clock.nowMs }),
    requestsPerMinute: () => 0,
    serverAddress: () => "",
    secure: true,
    log,
  });
  let requests = 0;
  const call = async (method: string, path: string, sent: Sent = {}): Promise<Answer> => {
    const request = new Request(`http://gateway.test${path}`, {
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
  const people = openPeople(db, clock, call, parts.makeRoot);
  const { ways } = parts;
  return { db, clock, settings, secrets, setupToken, ways, outside, call, close, ...people };
}

type Surroundings = Pick<TestConsole, "clock" | "secrets" | "settings" | "setupToken"> & {
  readonly outbound: Outbound;
  readonly serverAddress: () => string;
};

const log = openLogger("silent");

const passwords = {
  hash: async (text: string) => `plain:${text}`,
  async hashChosen(text: string) {
    refuseCommonPassword(text);
    return `plain:${text}`;
  },
  verify: async (text: string, hash: string | null) =>
    hash === `plain:${text}` || hash === `old:${text}`,
};

function bindStores(db: Db) {
  return {
    users: bindStore(userStore, db),
    signIn: bindStore(signInStore, db),
    tokens: bindStore(tokenStore, db),
    installation: bindStore(installationStore, db),
    notifications: bindStore(notificationStore, db),
  };
}

function openParts(db: Db, dialect: Dialect, { clock, settings, ...around }: Surroundings) {
  const { secrets } = around;
  const now = () => clock.nowMs;
  const limits = openRateLimits({ now });
  const stores = bindStores(db);
  const cookie = openSessionCookie(true);
  const secondFactor = openTestSecondFactor(db, now);
  const sessions = openSessions({
    store: stores.signIn,
    cookie,
    secrets,
    now,
    newSessionId: () => randomText(43),
    askSecondFactor: secondFactor.ask,
    log,
  });
  const shared = {
    money: idleMoney,
    secrets,
    limits,
    passwords,
    sessions,
    log,
    now,
    applyChanges: async () => {},
    newAffCode: () => randomText(4),
  };
  const ways = openTestWays({ ...shared, db });
  const root = { ...shared, store: stores.installation };
  const handlers = [
    ...ownAccountHandlers({ ...shared, ...around, db, cookie, mail: ways.mail }),
    ...userHandlers({
      ...shared,
      store: stores.users,
      readSettingText: openSettingReader({ store: stores.notifications, secrets }),
      signedInLately: secondFactor.signedInLately,
      listGroups: () => settings.groups,
      quotaForNewUser: () => settings.quotaForNewUser,
    }),
    ...signInHandlers({
      ...shared,
      store: stores.signIn,
      checkBot: ways.checkBot,
      passwordLoginEnabled: () => settings.passwordLoginEnabled,
      newAccessToken: () => randomText(32),
      saveAccessToken: stores.users.setAccessToken,
    }),
    ...tokenHandlers({
      ...shared,
      store: stores.tokens,
      readOption: ways.options.read,
      isUsableGroup: (_own, group) => settings.groups.includes(group),
      newKey: () => randomText(48),
    }),
    ...installationHandlers({
      ...root,
      dialect,
      bootstrap: openBootstrap(around.setupToken, now),
      readOption: ways.options.read,
      saveFlags: async () => {},
      quotaPerUnit: () => "500000",
      version: "0.0.0-test",
      startedAtMs: clock.nowMs,
    }),
    ...ways.handlers,
  ];
  const makeRoot = async (username: string): Promise<number> =>
    await createRoot(root, { username, password: testPassword }, systemActor);
  return { handlers, sessions, secondFactor, makeRoot, ways };
}

function outboundTo(outside: TestConsole["outside"]): Outbound {
  return async (request) => {
    outside.sent.push(request);
    return outside.answer;
  };
}

type Call = TestConsole["call"];

/** Tests move the clock, and root's sessions are short. */
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
        .set({ role: userRole })
        .where("username", "=", username)
        .execute();
      return await signIn(username);
    },
  };
}
