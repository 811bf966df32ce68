/**
 * The ports that the modules run on in these tests. They are the product's, except for passwords,
 * which are not hashed because hashing is slow; e-mails, which are kept instead of sent; and other
 * servers, which the test plays.
 */

import { randomBytes } from "node:crypto";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import {
  options as definitions,
  type StoredOptionName,
} from "@tollgate/contract/options/options.ts";
import { openAddressPolicy } from "#base/address-policy.ts";
import { openLogger } from "#base/logger.ts";
import { systemRandom } from "#base/random.ts";
import { openRateLimits } from "#base/rate-limit.ts";
import { openSecrets, type Secrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { bindStore, type Store } from "#db/store.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import { mailModuleBy } from "#modules/mail/mail.module.ts";
import type { Mail, OutgoingMail } from "#modules/mail/mail.ts";
import type { Ports } from "#modules/module.ts";
import { openOptions, type Options, storedText } from "#modules/options/options.ts";
import { refuseCommonPassword } from "#modules/passwords/common-passwords.ts";
import { passwordsModuleBy } from "#modules/passwords/passwords.module.ts";
import { type Network, openNetwork } from "#network/network.ts";
import { parseTarget, type Target } from "#network/target.ts";
import type { TransportFaultCode } from "#network/answer.ts";
import type { Transport } from "#network/transport.ts";
import type { RemoteStores } from "#workers/store-client.ts";
import { stores } from "#workers/stores.ts";

export type OptionTexts = Partial<Record<StoredOptionName, string>>;

/** An answer of another server to a request that a user caused. */
type OutsideAnswer =
  | { readonly ok: true; readonly text: string }
  /** Why the request failed: `http-<status>`, or the fault of the connection. */
  | { readonly ok: false; readonly reason: `http-${number}` | TransportFaultCode };

export type Surroundings = {
  /** Unix milliseconds; moved by tests. */
  readonly clock: { nowMs: number };
  /** Names of the groups that have a price ratio; changed by tests. */
  readonly groups: { names: readonly string[] };
  /** The e-mails that the product would have sent, oldest first. */
  readonly mails: OutgoingMail[];
  /**
   * The address of the test's own server that replaces the servers of `fixedAddresses`; changed by
   * tests.
   */
  readonly providers: Record<keyof typeof fixedAddresses, string>;
  /** The IP addresses of host names; changed by tests. */
  readonly hosts: Record<string, string[]>;
  /** Requests to URLs that users named. */
  readonly outside: {
    /** The requests that were sent, oldest first. */
    readonly sent: SentOutside[];
    /** The answer to each of these requests; undefined: the requests are really sent. */
    answer: OutsideAnswer | undefined;
  };
  /** The address of Stripe's API. */
  readonly stripeUrl: string;
};

type SentOutside = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Servers with a fixed URL, as the providers document them, read 2026-11-21. */
const fixedAddresses = {
  gitHubToken: "https://github.com/login/oauth/access_token",
  gitHubUser: "https://api.github.com/user",
  linuxDoToken: "https://connect.linux.do/oauth2/token",
  linuxDoUser: "https://connect.linux.do/api/user",
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
};

const nowhere = "http://127.0.0.1:1/";

export function openSurroundings(): Surroundings {
  return {
    clock: { nowMs: Date.parse("2026-11-21T12:00:00Z") },
    groups: { names: ["default", "vip"] },
    mails: [],
    providers: {
      gitHubToken: nowhere,
      gitHubUser: nowhere,
      linuxDoToken: nowhere,
      linuxDoUser: nowhere,
      turnstile: nowhere,
    },
    hosts: {},
    outside: { sent: [], answer: { ok: true, text: "" } },
    // Nothing listens there.
    stripeUrl: "http://127.0.0.1:9",
  };
}

/**
 * The ledger's `Money` port for these tests: no call runs, so it allows every change of a balance.
 */
const idleMoney: Money = {
  moveUser: (_userId, _amount, write) => write(),
  moveToken: (_tokenId, _amount, write) => write(),
  creditUser: (_userId, write) => write(),
  takeUser: (_userId, amount, write) => write(amount),
  openedUser: () => {},
  openedToken: () => {},
  rechargeUsers: async (wanted, write) => await write(wanted),
  refunded: () => {},
};

const untested = (): never => {
  throw new Error("channels are not tested here");
};

export function openPorts(dialect: Dialect, around: Surroundings): Ports {
  const now = (): number => around.clock.nowMs;
  const secrets = openSecrets(randomBytes(32).toString("hex"));
  return {
    options: openOptions(secrets, (key, reason) => {
      throw new Error(`${key}: ${reason}`);
    }),
    callable: () => [],
    money: idleMoney,
    limits: openRateLimits({ now }),
    secrets,
    clock: { now, elapsed: now },
    random: systemRandom,
    network: openPlayedNetwork(around),
    log: openLogger("silent"),
    snapshot: {
      get prices() {
        const ratios = Object.fromEntries(around.groups.names.map((name) => [name, "1"]));
        return { id: 1, list: { ...defaultPriceList, GroupRatio: ratios } };
      },
      findUser: () => undefined,
      readUser: async () => undefined,
      modelsOf: () => [],
      findChannel: () => undefined,
    },
    applyChanges: async () => {},
    together: async () => {
      throw new Error("documents are not applied here");
    },
    probes: {
      testChannel: untested,
      tryChannel: untested,
      askBalance: untested,
      listUpstreamModels: untested,
    },
    channelStanding: () => ({ state: "unusable", parts: [] }),
    explainRoute: () => ({ refused: "no-channel", places: false, conversation: 0, channels: [] }),
    running: { list: () => ({ calls: [], total: 0 }), stop: () => 0, isDraining: () => false },
    nodeId: "test",
    endpoints: () => [],
    hashing: { atOnce: 1, hash: untested, verify: untested },
    judgeKey: () => {
      throw new Error("calls by key are not tested here");
    },
    program: {
      version: "0.0.0-test",
      commit: "",
      dialect,
      localAddress: () => "http://localhost:3000",
      basePath: "",
      demo: false,
      secretKeyFile: "/data/secret.key",
      priceCatalogueFile: "",
      processorUrls: { stripe: around.stripeUrl },
    },
  };
}

/**
 * Replaces two modules of the product: e-mails are kept instead of sent, and passwords are not
 * hashed.
 */
export function standIns({ mails }: Surroundings) {
  const openMail = ({ readOption }: { readonly readOption: Options["read"] }): Mail => ({
    isSetUp: () => readOption("SMTPServer") !== "",
    send: async (mail) => void mails.push(mail),
  });
  return { mail: mailModuleBy(openMail), passwords: passwordsModuleBy(openPlainPasswords) };
}

function openPlainPasswords() {
  return {
    hash: async (text: string) => `plain:${text}`,
    async hashChosen(text: string) {
      refuseCommonPassword(text);
      return `plain:${text}`;
    },
    verify: async (text: string, hash: string | null) =>
      hash === `plain:${text}` || hash === `old:${text}`,
  };
}

/** Binds all stores to this thread instead of to a worker. */
export function bindStores(db: Db): RemoteStores {
  const bound = Object.entries<Store>(stores).map(([noun, store]) => [noun, bindStore(store, db)]);
  // Safe cast: each noun's functions are bound from its own store, which matches the type.
  return Object.fromEntries(bound) as RemoteStores;
}

/** Makes these options apply, as if root had saved them; all others return to their defaults. */
export function putOptions(options: Options, secrets: Secrets, texts: OptionTexts): void {
  options.refresh(
    Object.entries(texts).map(([key, text]) => {
      // Safe cast: the parameter's type allows no other keys.
      const name = key as StoredOptionName;
      return { key, value: storedText(definitions[name], key, text, secrets) };
    }),
  );
}

/** Allows connections to this machine, as an operator allows an upstream in the local network. */
function openPlayedNetwork({ providers, outside, hosts }: Surroundings): Network {
  const real = openNetwork({
    policy: openAddressPolicy({ privateRanges: [], loopback: true }),
    resolve: async (host) => hosts[host] ?? [],
    nowMs: () => performance.now(),
  });
  const playedTarget = (target: Target): Target => {
    const url = urlOf(target);
    const found = Object.entries(fixedAddresses).find(([, address]) => address === url);
    // Safe cast: both objects have the same keys.
    const played = found && parseTarget(providers[found[0] as keyof typeof fixedAddresses]);
    return played ?? target;
  };
  return {
    ...real,
    transport: (call) => real.transport({ ...call, target: playedTarget(call.target) }),
    transportTo(policy): Transport {
      const transport = real.transportTo(policy);
      return async (call) => {
        const { answer } = outside;
        if (answer === undefined) return await transport(call);
        const { method, headers } = call;
        const body = new TextDecoder().decode(call.body ?? new Uint8Array());
        outside.sent.push({ method, url: urlOf(call.target), headers, body });
        return playedAnswer(answer);
      };
    },
  };
}

function urlOf({ scheme, host, port, path }: Target): string {
  return `${scheme}://${host}${port}${path}`;
}

function playedAnswer(answer: OutsideAnswer): Awaited<ReturnType<Transport>> {
  const status = answer.ok ? 200 : Number(/^http-(\d+)$/.exec(answer.reason)?.[1] ?? 0);
  if (!answer.ok && status === 0) {
    // Safe cast: by the type of `reason`, a reason that is not a status is a fault code.
    return { kind: "fault", code: answer.reason as TransportFaultCode, status: 502 };
  }
  return {
    kind: "answer",
    status,
    mediaType: "text/plain",
    retryAfter: null,
    read: async () => null,
    flowTo() {},
    readAll: () => new TextEncoder().encode(answer.ok ? answer.text : ""),
    cancel() {},
  };
}
