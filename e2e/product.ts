/** The built product as a process of its own, and its console API as a program uses it. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The longest that a start of the product may take. */
const startMaxMs = 120_000;

export type Account = { readonly username: string; readonly password: string };

export const rootAccount: Account = { username: "root", password: "correct horse battery" };

export type Product = {
  readonly origin: string;
  /** Everything that the product has printed. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
};

type StartOptions = {
  /** Whether the product starts with the demo upstream, its channel, prices and a token. */
  readonly demo?: boolean;
  /** The root account to create; absent: the product prints its set-up link. */
  readonly account?: Account | undefined;
  /** The address of a server like Stripe's API; Stripe's own by default. */
  readonly stripeUrl?: string;
  /** Further settings of the product's environment. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The built repository to start the product of; this one by default. */
  readonly folder?: string;
  /** A data folder that stays when the product stops; by default one of its own is removed. */
  readonly home?: string;
  /** By how much the product's clock is ahead, in milliseconds; negative: behind. */
  readonly clockMs?: number;
};

/** Makes an empty data folder for a product. */
export function makeHome(): string {
  return mkdtempSync(join(tmpdir(), "tollgate-e2e-"));
}

/** Starts the product on a port and a data folder of its own. */
export async function startProduct({
  demo = false,
  account,
  stripeUrl,
  settings = {},
  folder = root,
  home: kept,
  clockMs = 0,
}: StartOptions): Promise<Product> {
  const home = kept ?? makeHome();
  const child = spawn(join(folder, "dist/tollgate"), demo ? ["--demo"] : [], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      PORT: "0",
      TOLLGATE_DATA_DIR: home,
      TOLLGATE_LOG: "warn",
      ...settings,
      ...(clockMs === 0 ? {} : shiftedClock(clockMs)),
      ...(stripeUrl === undefined ? {} : { TOLLGATE_STRIPE_URL: stripeUrl }),
      ...(account === undefined
        ? {}
        : {
            TOLLGATE_ROOT_USERNAME: account.username,
            TOLLGATE_ROOT_PASSWORD: account.password,
          }),
    },
  });
  let output = "";
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const origin = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`did not start: ${output}`)), startMaxMs);
    // The start-up output line to wait for: the last one that tests read values from.
    const said = demo
      ? /"stream":true/
      : account === undefined
        ? /setup#token=\S+/
        : /Tollgate is at/;
    const read = (text: string): void => {
      output += text;
      const address = /Tollgate is at (http:\/\/\S+)/.exec(output)?.[1];
      if (address === undefined || !said.test(output)) return;
      clearTimeout(late);
      resolve(address);
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    child.once("close", (code) => reject(new Error(`ended with ${code}: ${output}`)));
  });
  return {
    origin,
    output: () => output,
    async stop() {
      child.kill("SIGINT");
      await gone;
      if (kept === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

function shiftedClock(byMs: number): Readonly<Record<string, string>> {
  const preload = join(root, "server/test/proof/shifted-clock.ts");
  return { BUN_OPTIONS: `--preload ${preload}`, SHIFTED_CLOCK_MS: String(byMs) };
}

type StoredUser = { readonly id: number; readonly username: string; readonly role: number };

export type Session = {
  readonly user: StoredUser;
  /** The session's cookie, as `name=value`. */
  readonly cookie: string;
};

/** The console API as a signed-in user calls it. */
export type Api = Session & {
  readonly origin: string;
  /** Resolves to the `data` of a successful answer; throws the message of a refusal. */
  readonly call: (method: string, path: string, body?: object) => Promise<unknown>;
};

export async function signIn(origin: string, account: Account): Promise<Api> {
  const answer = await fetch(`${origin}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(account),
  });
  // Safe cast: the contract of `login`.
  const user = (await readData(answer, "sign-in")) as StoredUser;
  return apiOf(origin, { user, cookie: answer.headers.getSetCookie()[0]?.split(";")[0] ?? "" });
}

/** Opens the console API with an existing session. */
export function apiOf(origin: string, { user, cookie }: Session): Api {
  return {
    origin,
    user,
    cookie,
    async call(method, path, body) {
      const sent = await fetch(origin + path, {
        method,
        headers: {
          "content-type": "application/json",
          "new-api-user": String(user.id),
          cookie,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return await readData(sent, `${method} ${path}`);
    },
  };
}

async function readData(answer: Response, what: string): Promise<unknown> {
  const { success, message, data } = (await answer.json()) as {
    success: boolean;
    message: string;
    data: unknown;
  }; // safe cast: every console answer has this envelope
  if (!success) throw new Error(`${what}: ${message}`);
  return data;
}
