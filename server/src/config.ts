/**
 * Reads the environment once, at the start. Settings that can change while the server runs are
 * options instead (`contract/src/options/options.ts`).
 */

import { existsSync, mkdirSync } from "node:fs";
import { totalmem } from "node:os";
import { join, resolve } from "node:path";
import type { ProcessorUrls } from "@tollgate/contract/kinds/payment-processors.ts";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { ConfigError } from "#startup/config-error.ts";
import { withSecretFiles } from "#startup/secret-files.ts";
import { secretKeyIn, secretLengthMin } from "#startup/secret-key.ts";
import { usualBudget } from "#base/memory/byte-budget.ts";
import type { DatabaseAddress } from "#db/connection.ts";
import { poolMax, poolMin, poolUsual } from "#db/pool-shares.ts";
import { parseProxy, type ProxySettings } from "#network/proxy.ts";
import { taskFolders } from "#platforms/registry.ts";
import { isOwnPath } from "#http/listen.ts";
import { keepAliveSecondsUsual } from "#http/server.ts";
import { readBasePath } from "#http/target.ts";

export type Config = {
  readonly port: number;
  readonly host: string;
  /** The path below which browsers and clients see the gateway; empty: it has the whole host. */
  readonly basePath: string;
  /** Absolute path of an existing folder. */
  readonly dataDir: string;
  readonly database: DatabaseAddress;
  /** The address of the Redis server that counts limits for all nodes; null: there is none. */
  readonly redisUrl: string | null;
  /** At least 32 characters. All other keys are derived from it. */
  readonly secretKey: string;
  /** Absolute path of the file with the secret key; empty: the environment has the key. */
  readonly secretKeyFile: string;
  /** The root user to create at the first start; ignored if one exists. */
  readonly root: { readonly username: string; readonly password: string } | null;
  /** CIDR blocks. */
  readonly trustedProxies: readonly string[];
  readonly privateUpstreams: readonly string[];
  readonly metricsCidrs: readonly string[];
  /**
   * Whether cookies may be sent over plain HTTP: true if HOST is a loopback address, or if the
   * operator allows it.
   */
  readonly plainHttp: boolean;
  readonly hostIsLoopback: boolean;
  /** How long a client's connection may wait for its next request. */
  readonly keepAliveSeconds: number;
  /** The memory for what arrives and is not complete, in bytes. */
  readonly unfinishedBytesMax: number;
  /** The proxies that outgoing requests go through. */
  readonly proxies: ProxySettings;
  /** Null: no calls are traced. `share`: the part of the calls that are, from 0 to 1. */
  readonly traces: { readonly share: number } | null;
  /** The file that replaces the built-in catalogue of prices as long as it is there. */
  readonly priceCatalogueFile: string;
  /** Where the APIs of payment processors are. */
  readonly processorUrls: ProcessorUrls;
  readonly logLevel: string;
  /** Whether the program was started with `--demo`. */
  readonly demo: boolean;
};

type Environment = Readonly<Record<string, string | undefined>>;

const cidrs = z
  .string()
  .default("")
  .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ""))
  .refine((parts) => parts.every(isCidr), "must be CIDR blocks separated by commas");

/** Example keys from our own documents, which must not be used. */
const sampleSecrets = new Set(["change-me-to-a-long-random-secret-key"]);

const switchText = z.enum(["", "0", "1", "false", "true"]).default("");

/** The URL of a proxy; empty: none. */
const proxyUrl = z
  .string()
  .default("")
  .refine((text) => text === "" || parseProxy(text) !== null, {
    error: "must be the URL of a proxy, such as http://user:password@proxy.example:3128",
  });

/** The URL of a collector of traces; empty: none. */
const collectorUrl = z
  .string()
  .default("")
  .refine((text) => text === "" || /^https?:$/.test(URL.parse(text)?.protocol ?? ""), {
    error: "must be the URL of a collector, such as http://127.0.0.1:4318",
  });

/** Names that other programs read in either spelling; the lower case counts if both are set. */
const sharedNames = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];

const environment = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(3_000),
  HOST: z.string().min(1).default("127.0.0.1"),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must begin with postgres://")
    .optional(),
  REDIS_URL: z
    .string()
    .regex(/^(?:redis|rediss|valkey|valkeys):\/\//, "must begin with redis:// or rediss://")
    .optional(),
  DATABASE_POOL: z.coerce
    .number("must be a number of connections")
    .int("must be a whole number of connections")
    .min(poolMin, `must be at least ${poolMin}`)
    .max(poolMax, `must be at most ${poolMax}`)
    .default(poolUsual),
  TOLLGATE_BASE_PATH: z
    .string()
    .default("")
    .transform((text) => readBasePath(text))
    .refine((path) => path !== undefined, "must be a path such as /gateway")
    .refine(
      (path) => path === "" || !isOwnPath(`${path}/`, taskFolders),
      "is a path of the gateway's own",
    ),
  TOLLGATE_DATA_DIR: z.string().min(1).default("./data"),
  TOLLGATE_SECRET_KEY: z
    .string()
    .min(secretLengthMin, `must have at least ${secretLengthMin} characters`)
    .refine((key) => !sampleSecrets.has(key), "is a sample from the documentation")
    .optional(),
  // Both are for commands that work on a gateway over its API.
  TOLLGATE_ACCESS_TOKEN: z.string().default(""),
  TOLLGATE_USER_ID: z.string().regex(/^\d*$/, "must be the id of a user").default(""),
  TOLLGATE_ROOT_USERNAME: z.string().min(1).max(12, "must have at most 12 characters").optional(),
  TOLLGATE_ROOT_PASSWORD: z
    .string()
    .min(8, "must have at least 8 characters")
    .max(128, "must have at most 128 characters")
    .optional(),
  TOLLGATE_TRUSTED_PROXIES: cidrs,
  TOLLGATE_PRIVATE_UPSTREAMS: cidrs,
  TOLLGATE_METRICS_CIDRS: cidrs,
  TOLLGATE_PLAIN_HTTP: switchText,
  TOLLGATE_KEEP_ALIVE_SECONDS: z.coerce
    .number("must be a number of seconds")
    .int("must be a whole number of seconds")
    .min(1, "must be at least 1")
    .max(3_600, "must be at most 3600")
    .default(keepAliveSecondsUsual),
  TOLLGATE_UNFINISHED_MEGABYTES: z.coerce
    .number("must be a number of megabytes")
    .int("must be a whole number of megabytes")
    .min(64, "must be at least 64")
    .max(65_536, "must be at most 65536")
    .optional(),
  ALL_PROXY: proxyUrl,
  HTTPS_PROXY: proxyUrl,
  HTTP_PROXY: proxyUrl,
  NO_PROXY: z.string().default(""),
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collectorUrl,
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(["", "http/json", "http/protobuf"], "must be http/json: traces are sent over HTTP")
    .default(""),
  OTEL_SDK_DISABLED: z.string().default(""),
  OTEL_TRACES_EXPORTER: z.string().default(""),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number("must be a number from 0 to 1")
    .min(0, "must be at least 0")
    .max(1, "must be at most 1")
    .default(1),
  TOLLGATE_PRICE_CATALOGUE: z
    .string()
    .refine((file) => existsSync(file), "must be the path of a file")
    .optional(),
  /** Tests and simulators of Stripe have addresses of their own. */
  TOLLGATE_STRIPE_URL: z.url("must be an address").default("https://api.stripe.com"),
  /** Read by the runtime, which says nothing of a file that is not there. */
  NODE_EXTRA_CA_CERTS: z
    .string()
    .default("")
    .refine((file) => file === "" || existsSync(file), "there is no such file of certificates"),
  TOLLGATE_LOG: z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
    .default("info"),
});

/**
 * What Kubernetes sets in every container for a service whose name begins with `tollgate`, such as
 * `TOLLGATE_SERVICE_HOST` and `TOLLGATE_PORT_3000_TCP_ADDR`. They are no settings.
 */
const ofService =
  /^TOLLGATE_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;

/** `TOLLGATE_PORT` is one of them too, but only with such a value. */
const serviceAddress = /^(?:tcp|udp|sctp):\/\//;

function isOfService(name: string, value: string | undefined): boolean {
  return ofService.test(name) || (name.endsWith("_PORT") && serviceAddress.test(value ?? ""));
}

/**
 * What a start is for: `run` may make the data folder and the secret key, `restore` the folder
 * alone, `read` makes nothing.
 */
type Purpose = "read" | "restore" | "run";

/**
 * Reads and checks the configuration.
 *
 * @throws ConfigError for an unknown `TOLLGATE_*` name or an invalid value.
 */
export function readConfig(given: Environment, demo = false, purpose: Purpose = "run"): Config {
  const env = withSecretFiles(given);
  const unknown = Object.keys(env).find(
    (name) =>
      name.startsWith("TOLLGATE_") && !(name in environment.shape) && !isOfService(name, env[name]),
  );
  if (unknown !== undefined) {
    throw new ConfigError(`${unknown} is not a setting of this program. See README.md.`);
  }
  const shared = sharedNames.map((name) => [name, env[name.toLowerCase()] ?? env[name]]);
  const parsed = environment.safeParse({ ...env, ...Object.fromEntries(shared) });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ConfigError(`${String(issue?.path[0])} cannot be used: ${issue?.message}.`);
  }
  const config = complete(parsed.data, purpose);
  // The demo's upstream is a program of this machine, also where the gateway serves others.
  const privateUpstreams = demo
    ? [...config.privateUpstreams, "127.0.0.1"]
    : config.privateUpstreams;
  return { ...config, privateUpstreams, demo };
}

function complete(read: z.infer<typeof environment>, purpose: Purpose): Omit<Config, "demo"> {
  if ((read.TOLLGATE_ROOT_USERNAME === undefined) !== (read.TOLLGATE_ROOT_PASSWORD === undefined)) {
    throw new ConfigError("TOLLGATE_ROOT_USERNAME and TOLLGATE_ROOT_PASSWORD go together.");
  }
  const dataDir = resolve(read.TOLLGATE_DATA_DIR);
  const hostIsLoopback = isLoopback(read.HOST);
  const databaseFile = join(dataDir, "tollgate.db");
  if (purpose !== "read") makeFolder(dataDir);
  else if (read.DATABASE_URL === undefined && !existsSync(databaseFile)) {
    throw new ConfigError(
      `There is no database in ${dataDir}. Set TOLLGATE_DATA_DIR to the folder of the installation, or DATABASE_URL.`,
    );
  }
  return {
    port: read.PORT,
    host: read.HOST,
    basePath: read.TOLLGATE_BASE_PATH ?? "",
    dataDir,
    database:
      read.DATABASE_URL === undefined
        ? { dialect: "sqlite", file: databaseFile }
        : { dialect: "postgres", url: read.DATABASE_URL, pool: read.DATABASE_POOL },
    redisUrl: read.REDIS_URL ?? null,
    ...secretKeyOf(read, dataDir, purpose),
    root:
      read.TOLLGATE_ROOT_USERNAME === undefined || read.TOLLGATE_ROOT_PASSWORD === undefined
        ? null
        : { username: read.TOLLGATE_ROOT_USERNAME, password: read.TOLLGATE_ROOT_PASSWORD },
    trustedProxies: read.TOLLGATE_TRUSTED_PROXIES,
    privateUpstreams: read.TOLLGATE_PRIVATE_UPSTREAMS,
    metricsCidrs: read.TOLLGATE_METRICS_CIDRS,
    plainHttp: hostIsLoopback || ["1", "true"].includes(read.TOLLGATE_PLAIN_HTTP),
    hostIsLoopback,
    keepAliveSeconds: read.TOLLGATE_KEEP_ALIVE_SECONDS,
    unfinishedBytesMax:
      read.TOLLGATE_UNFINISHED_MEGABYTES === undefined
        ? usualBudget(machineBytes())
        : read.TOLLGATE_UNFINISHED_MEGABYTES * megabyte,
    proxies: {
      http: parseProxy(read.HTTP_PROXY || read.ALL_PROXY),
      https: parseProxy(read.HTTPS_PROXY || read.ALL_PROXY),
      except: read.NO_PROXY,
    },
    traces: tracesOf(read),
    priceCatalogueFile: resolve(
      read.TOLLGATE_PRICE_CATALOGUE ?? join(dataDir, "price-catalogue.json"),
    ),
    processorUrls: { stripe: read.TOLLGATE_STRIPE_URL },
    logLevel: read.TOLLGATE_LOG,
  };
}

const megabyte = 1024 * 1024;

/** Returns the memory that this process may use: the machine's, or less in a container. */
function machineBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** Traces are on when the environment names a collector, and does not turn them off. */
function tracesOf(read: z.infer<typeof environment>): Config["traces"] {
  const collector = read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || read.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isOff = read.OTEL_SDK_DISABLED === "true" || read.OTEL_TRACES_EXPORTER === "none";
  return collector === "" || isOff ? null : { share: read.OTEL_TRACES_SAMPLER_ARG };
}

/**
 * Returns the secret key. With SQLite, the first start generates one. The nodes of a cluster must
 * all have the same key, so there the operator must set it.
 */
function secretKeyOf(
  read: z.infer<typeof environment>,
  dataDir: string,
  purpose: Purpose,
): Pick<Config, "secretKey" | "secretKeyFile"> {
  if (read.TOLLGATE_SECRET_KEY !== undefined) {
    return { secretKey: read.TOLLGATE_SECRET_KEY, secretKeyFile: "" };
  }
  if (read.DATABASE_URL !== undefined) {
    throw new ConfigError(
      "TOLLGATE_SECRET_KEY is required with DATABASE_URL; `openssl rand -hex 32` makes one.",
    );
  }
  const file = join(dataDir, "secret.key");
  if (purpose === "restore" && !existsSync(file)) {
    throw new ConfigError(
      `${file} is missing. Put the secret key of the backup there first, or set TOLLGATE_SECRET_KEY.`,
    );
  }
  return { secretKey: secretKeyIn(file, join(dataDir, "tollgate.db")), secretKeyFile: file };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `TOLLGATE_DATA_DIR cannot be used: ${reason}. Set it to a folder that this user may write.`,
    );
  }
}

function isCidr(text: string): boolean {
  return ipaddr.isValidCIDR(text) || ipaddr.isValid(text);
}

function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback";
}
