/** Gathers what the doctor judges. Changes nothing. */

import { existsSync, readFileSync, statfsSync, statSync } from "node:fs";
import { totalmem } from "node:os";
import { openAddressPolicy } from "#base/address-policy.ts";
import { isOwned } from "#db/owner-lock.ts";
import { ask } from "#network/ask.ts";
import type { Network } from "#network/network.ts";
import { fullVersion } from "#startup/version.ts";
import type { Config } from "#config.ts";
import { openNetworkOf } from "#modules.ts";
import { type DatabaseFacts, readDatabase } from "./database-facts.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Null: it is not known, or does not apply. */
export type Facts = {
  readonly version: string;
  readonly config: Pick<
    Config,
    "dataDir" | "database" | "host" | "hostIsLoopback" | "plainHttp" | "port" | "secretKeyFile"
  >;
  readonly env: {
    readonly trustedProxies: number;
    /** Addresses of outgoing proxies, without user names and passwords. */
    readonly outgoingProxies: readonly string[];
    readonly noProxy: string;
    readonly extraCertificates: string | null;
  };
  readonly nowMs: number;
  readonly folder: { readonly mode: number; readonly isWritable: boolean };
  /** The mode of the file with the secret key. */
  readonly keyMode: number | null;
  /** Whether the file of extra certificates can be read and has some. */
  readonly hasExtraCertificates: boolean | null;
  readonly disk: { readonly freeBytes: number; readonly allBytes: number };
  /** How many files this process may have open. */
  readonly filesMax: number | null;
  readonly memoryBytes: number;
  /** Whether a gateway runs on the data folder. */
  readonly isRunning: boolean;
  readonly database: DatabaseFacts;
  /** What the public address answers; null: there is none. */
  readonly publicAddress: { readonly url: string; readonly fault: string | null } | null;
  /** Whether the mail server can be reached; null: there is none. */
  readonly mailServer: { readonly host: string; readonly fault: string | null } | null;
};

export async function gatherFacts(config: Config, env: Environment): Promise<Facts> {
  const database = await readDatabase(config);
  const network = openNetworkOf(config);
  const options = database.kind === "read" ? database.options : new Map<string, string>();
  const address = options.get("ServerAddress") ?? "";
  const mail = options.get("SMTPServer") ?? "";
  return {
    version: fullVersion,
    config,
    env: proxiesOf(config, env),
    nowMs: Date.now(),
    folder: folderOf(config.dataDir),
    keyMode: modeOf(config.secretKeyFile),
    hasExtraCertificates: extraCertificates(env["NODE_EXTRA_CA_CERTS"]),
    disk: diskOf(config.dataDir),
    filesMax: filesMax(),
    memoryBytes: memoryBytes(),
    isRunning: isOwned(config.dataDir),
    database,
    publicAddress: address === "" ? null : { url: address, fault: await faultOf(network, address) },
    mailServer: mail === "" ? null : { host: mail, fault: await nameFault(network, mail) },
  };
}

function proxiesOf({ trustedProxies, proxies }: Config, env: Environment): Facts["env"] {
  const named = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"].flatMap((name) => {
    const text = env[name.toLowerCase()] ?? env[name] ?? "";
    return URL.canParse(text) ? [new URL(text).host] : [];
  });
  return {
    trustedProxies: trustedProxies.length,
    outgoingProxies: [...new Set(named)],
    noProxy: proxies.except,
    extraCertificates: env["NODE_EXTRA_CA_CERTS"] ?? null,
  };
}

const permissions = 0o777;

function modeOf(path: string): number | null {
  const found = path === "" ? undefined : statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : found.mode & permissions;
}

function folderOf(dataDir: string): Facts["folder"] {
  const { mode, uid, gid } = statSync(dataDir);
  const [own, group] = [process.getuid?.() ?? uid, process.getgid?.() ?? gid];
  const bit = uid === own ? 0o200 : gid === group ? 0o020 : 0o002;
  return { mode: mode & permissions, isWritable: own === 0 || (mode & bit) !== 0 };
}

function extraCertificates(file: string | undefined): boolean | null {
  if (file === undefined || file === "") return null;
  try {
    return readFileSync(file, "utf8").includes("-----BEGIN CERTIFICATE-----");
  } catch {
    return false;
  }
}

function diskOf(folder: string): Facts["disk"] {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { freeBytes: bavail * bsize, allBytes: blocks * bsize };
}

/** Linux tells the limit in a file; elsewhere it is not known. */
function filesMax(): number | null {
  if (!existsSync("/proc/self/limits")) return null;
  const text = readFileSync("/proc/self/limits", "utf8");
  const [, soft = ""] = /^Max open files +(\S+)/m.exec(text) ?? [];
  return soft === "unlimited" ? Number.MAX_SAFE_INTEGER : Number(soft) || null;
}

function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

const askMs = 5_000;
const limits = { connectMs: askMs, firstByteMs: askMs, betweenChunksMs: askMs, totalMs: askMs };

/** Says why the public address does not lead to a gateway; null: it does. */
async function faultOf(network: Network, address: string): Promise<string | null> {
  const open = { privateRanges: ["0.0.0.0/0", "::/0"], loopback: true };
  const transport = network.transportTo(openAddressPolicy(open));
  const url = `${address.replace(/\/$/, "")}/readyz`;
  const question = { method: "GET", url, headers: {}, body: null, answerBytesMax: 10_000 } as const;
  const answer = await ask(transport, { ...question, limits });
  if (!answer.ok) return answer.reason;
  return answer.status === 200 ? null : `status ${answer.status}`;
}

/** Says why a mail server cannot be used; null: it has an address that is allowed. */
async function nameFault(network: Network, host: string): Promise<string | null> {
  const found = await network.addresses.find(host);
  return found.kind === "found" ? null : found.kind;
}
