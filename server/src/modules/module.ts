/**
 * How the server's modules are composed: what each one is given when it opens, what it provides,
 * and in which order modules open.
 */

import type { Callable } from "@tollgate/contract/endpoints/caller-reference.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import type { PriceList } from "@tollgate/contract/money/charge.ts";
import type { ProcessorUrls } from "@tollgate/contract/kinds/payment-processors.ts";
import type { Clock } from "#base/clock.ts";
import type { Gauge } from "#base/gauge.ts";
import type { Logger } from "#base/logger.ts";
import type { Random } from "#base/random.ts";
import type { RateLimits } from "#base/rate-limit.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Dialect } from "#db/dialect.ts";
import type { StoreCall } from "#db/store.ts";
import type { Handler } from "#http/handler.ts";
import type { PageSources } from "#http/security-headers.ts";
import type { Job } from "#jobs/job.ts";
import type { ChannelProbes, ChannelStanding } from "./channels/channels.ts";
import type { ExplainRoute } from "#modules/routes/routes.ts";
import type { Money } from "./ledger/ledger.ts";
import type { Options } from "./options/options.ts";
import type { Running } from "#ports/running.ts";
import type { TaskChannel } from "#ports/task-desk.ts";
import type { Network } from "#network/network.ts";

/** The services that every module is given when it opens. */
export type Ports = {
  readonly options: Options;
  readonly money: Money;
  readonly limits: RateLimits;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly network: Network;
  readonly log: Logger;
  /** Processes that hash passwords. */
  readonly hashing: {
    /** How many hashes are computed at the same time. */
    readonly atOnce: number;
    hash(password: string): Promise<string>;
    /** Whether this is the password of the hash; false also when `hash` is not a password hash. */
    verify(password: string, hash: string): Promise<boolean>;
  };
  /**
   * The relay's configuration in force. Read it at each use, and not while modules open: it
   * changes, and it is first loaded after all modules have opened.
   */
  readonly snapshot: ConfigView;
  /** All endpoints of the console API. Read it at each use, and not while modules open. */
  readonly endpoints: () => readonly Endpoint[];
  /** What client programs can call with a key. */
  readonly callable: () => Callable[];
  /** Resolves once this node uses every configuration change that was committed before the call. */
  readonly applyChanges: () => Promise<void>;
  /** Runs writes of several stores in one transaction. @returns what each of them returned. */
  readonly together: (calls: readonly StoreCall[]) => Promise<unknown[]>;
  readonly probes: ChannelProbes;
  /** Says where a channel stands for calls that begin now on this node. */
  readonly channelStanding: (channelId: number) => ChannelStanding;
  /** Says where a call would go that is not made, on this node. */
  readonly explainRoute: ExplainRoute;
  /** The calls that run on this node. */
  readonly running: Running;
  /** A random id of this process among those that share the database. */
  readonly nodeId: string;
  /**
   * Finds the token (`sk-…`) with which a console call was authenticated.
   * @throws Refusal when the relay would refuse the token, except for an exhausted quota;
   *   `rate-limited`.
   */
  readonly judgeKey: (key: string, clientIp: string) => Promise<KeyOwner>;
  readonly program: {
    readonly version: string;
    /** The commit that the program was built from; empty: unknown. */
    readonly commit: string;
    readonly dialect: Dialect;
    /**
     * Returns the address at which this machine reaches the server; used until option
     * `ServerAddress` is set. Its port is known once the server listens.
     */
    readonly localAddress: () => string;
    /** The path below which clients see the gateway; empty: it has the whole host. */
    readonly basePath: string;
    /** Whether the program was started with `--demo`. */
    readonly demo: boolean;
    /** The file with the secret key; empty: the key is in the environment. */
    readonly secretKeyFile: string;
    /** The file that replaces the built-in catalogue of prices as long as it is there. */
    readonly priceCatalogueFile: string;
    /** Where the APIs of payment processors are. */
    readonly processorUrls: ProcessorUrls;
  };
};

/** The facts about a token that a console call authenticated with this token may read. */
type KeyOwner = {
  /** Keyed hash of the token's text, by which the token and its log entries are found. */
  readonly lookup: string;
  readonly id: number;
  readonly name: string;
  /** When the key that was sent ends because it was replaced, in Unix seconds; 0: never. */
  readonly keyEndsAt: number;
  /** When the token expires, in Unix seconds; −1: never. */
  readonly expiredTime: number;
  readonly unlimitedQuota: boolean;
  /** The models that the token may call; null: every model. */
  readonly modelLimits: ReadonlySet<string> | null;
};

/** The part of the relay's snapshot, its configuration in memory, that modules may read. */
export type ConfigView = {
  /** The version of the price list in force. */
  readonly prices: { readonly id: number; readonly list: PriceList };
  /**
   * Finds a user in the relay's configuration, which has those with keys, administrators, and who
   * has signed in on this node; undefined: another, or nobody.
   */
  findUser(
    id: number,
  ): { readonly group: string; readonly role: number; readonly status: number } | undefined;
  /** As `findUser`, and asks the database where the configuration does not have the user. */
  readUser(id: number): Promise<unknown>;
  /** Returns the names of the models that a group has an enabled channel for. */
  modelsOf(group: string): readonly string[];
  /** Finds a channel, enabled or not; undefined: there is none that can be used. */
  findChannel(id: number): TaskChannel | undefined;
};

/**
 * What a module's `open` is given: the ports, the module's own store, and the `face` of each module
 * that it names in `needs`.
 */
export type Given<Store = unknown, Needs = unknown> = Ports & {
  readonly store: Store;
  readonly needs: Needs;
};

/** What a module's `open` returns, for the server to use; each part is optional. */
export type OpenedModule = {
  readonly handlers?: readonly Handler[];
  readonly jobs?: readonly Job[];
  /** The functions by which the relay's snapshot loads the configuration that this module owns. */
  readonly snapshot?: object;
  /**
   * Foreign origins that the console's pages may load from under the current options. They are
   * listed in the content security policy.
   */
  readonly pageSources?: () => PageSources;
  readonly metrics?: readonly Gauge[];
  /** The functions of this module that other modules and the server's start-up may call. */
  readonly face?: unknown;
};

/** Gives a module its exact type; does nothing at run time. */
export function defineModule<const Needs extends readonly string[], Asked, Opened>(module: {
  readonly needs: Needs;
  readonly open: (given: Asked) => Opened;
}): typeof module {
  return module;
}

/** Any module, for code that does not depend on the module's exact types. */
type AnyModule = {
  readonly needs: readonly string[];
  readonly open: (given: never) => OpenedModule;
};

/**
 * Opens each module after those that it needs.
 *
 * @param give makes the argument of a module's `open` from the module's name and the faces of the
 *   modules that it needs.
 * @throws Error when modules need one another in a circle, or need what no module provides.
 */
export function openInOrder(
  modules: Readonly<Record<string, AnyModule>>,
  give: (name: string, needs: Readonly<Record<string, unknown>>) => unknown,
): Readonly<Record<string, OpenedModule>> {
  const opened: Record<string, OpenedModule> = {};

  /**
   * Opens a module after the modules that it needs, unless it is open already.
   * @param path the names of the modules whose opening waits for this one, outermost first.
   */
  function open(name: string, path: readonly string[]): OpenedModule {
    const known = opened[name];
    if (known !== undefined) return known;
    const trail = [...path, name];
    if (path.includes(name)) {
      const circle = trail.slice(trail.indexOf(name)).join(" → ");
      throw new Error(`Modules need one another in a circle: ${circle}`);
    }
    const module = modules[name];
    if (module === undefined) {
      throw new Error(`Module ${path.at(-1)} needs ${name}, which is not in modules.ts`);
    }
    const needs: Record<string, unknown> = {};
    for (const needed of module.needs) {
      const { face } = open(needed, trail);
      if (face === undefined) {
        throw new Error(`Module ${name} needs ${needed}, which has no face for other modules`);
      }
      needs[needed] = face;
    }
    // The cast is sound: the types in `modules.ts` check that each module is given what it asks
    // for.
    const made = module.open(give(name, needs) as never);
    opened[name] = made;
    return made;
  }

  for (const name of Object.keys(modules)) open(name, []);
  return opened;
}
