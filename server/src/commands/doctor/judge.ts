/** Judges what was gathered: one line for each thing, with what to do. */

import type { Facts } from "./facts.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";
import { judgeDatabase } from "./judge-database.ts";

type Judge = (facts: Facts) => readonly Finding[];

/** Judges everything, in the order in which an operator mends it. */
export function judgeFacts(facts: Facts): Finding[] {
  const judges: readonly Judge[] = [
    judgeVersion,
    judgeFolder,
    judgeDisk,
    judgeLimits,
    judgeAddress,
    judgeProxies,
    judgeDatabase,
  ];
  return judges.flatMap((judge) => judge(facts));
}

function judgeVersion({ version, isRunning }: Facts): Finding[] {
  const state = isRunning ? "a gateway runs on this data folder" : "no gateway runs on it";
  return [ok("version", `tollgate ${version}, Bun ${Bun.version}; ${state}`)];
}

const othersMask = 0o077;

function judgeFolder({ config, folder, keyMode }: Facts): Finding[] {
  const { dataDir, secretKeyFile } = config;
  const found: Finding[] = [];
  if (!folder.isWritable) {
    const advice = "Give the folder to the user that runs Tollgate.";
    found.push(fail("folder", `${dataDir} cannot be written by this user`, advice));
  }
  if ((folder.mode & othersMask) !== 0) {
    const mode = folder.mode.toString(8);
    const message = `other users can enter ${dataDir} (mode ${mode})`;
    found.push(warn("folder", message, `chmod -R go= ${dataDir}`));
  }
  if (keyMode !== null && (keyMode & othersMask) !== 0) {
    const message = `other users can read ${secretKeyFile} (mode ${keyMode.toString(8)})`;
    found.push(fail("key file", message, `chmod 600 ${secretKeyFile}`));
  }
  return found.length > 0 ? found : [ok("folder", `${dataDir} is this user's alone`)];
}

const megabyte = 1024 * 1024;
const diskFail = 100 * megabyte;
const diskWarn = 1024 * megabyte;

function judgeDisk({ disk, config }: Facts): Finding[] {
  const free = `${Math.floor(disk.freeBytes / megabyte)} MB free for ${config.dataDir}`;
  const advice = "Free some space, or set TOLLGATE_DATA_DIR to a folder on another disk.";
  if (disk.freeBytes < diskFail) return [fail("disk", free, advice)];
  return [disk.freeBytes < diskWarn ? warn("disk", free, advice) : ok("disk", free)];
}

const filesFail = 256;
const filesWarn = 4_096;
const memoryWarn = 256 * megabyte;

function judgeLimits({ filesMax, memoryBytes }: Facts): Finding[] {
  const found: Finding[] = [];
  const advice = "Raise the limit: LimitNOFILE=65536 in systemd, ulimits in Compose, or ulimit -n.";
  if (filesMax === null) found.push(ok("files", "this system does not tell the limit of files"));
  else if (filesMax >= filesWarn) found.push(ok("files", `${filesMax} files may be open`));
  else {
    const message = `only ${filesMax} files may be open; each call needs two`;
    found.push((filesMax < filesFail ? fail : warn)("files", message, advice));
  }
  const memory = `${Math.floor(memoryBytes / megabyte)} MB of memory`;
  found.push(
    memoryBytes < memoryWarn
      ? warn("memory", memory, "Give the process at least 256 MB.")
      : ok("memory", memory),
  );
  return found;
}

function judgeAddress({ publicAddress, config, env }: Facts): Finding[] {
  if (publicAddress === null) {
    const advice = "Set option ServerAddress to the address that users open.";
    return config.hostIsLoopback
      ? [ok("address", "none is set; the gateway serves this machine alone")]
      : [
          warn(
            "address",
            "option ServerAddress is empty, so links in e-mails lead nowhere",
            advice,
          ),
        ];
  }
  const { url, fault } = publicAddress;
  const found: Finding[] = [];
  const isHttps = url.startsWith("https:");
  if (!isHttps && !/^http:\/\/(?:localhost|127\.|\[::1\])/.test(url)) {
    const advice = "Put a TLS proxy in front of it: docs/operate/reverse-proxy.md.";
    found.push(warn("address", `${url} is not encrypted`, advice));
  }
  if (isHttps && !config.hostIsLoopback && env.trustedProxies === 0) {
    const advice = "Set TOLLGATE_TRUSTED_PROXIES to the proxy's address.";
    found.push(warn("proxies", `${url} is behind a proxy that is not trusted`, advice));
  }
  if (fault !== null) {
    const isCertificate = fault.includes("certificate") || fault.includes("tls");
    const advice = isCertificate
      ? "Renew the certificate, and send it with those between it and its authority."
      : "Look at the proxy and at the name's address; from inside, it may be unreachable on purpose.";
    const check = isCertificate ? "certificate" : "address";
    found.push((isCertificate ? fail : warn)(check, `${url} cannot be asked: ${fault}`, advice));
  }
  return found.length > 0 ? found : [ok("address", `${url} leads here`)];
}

function judgeProxies({ env, config, hasExtraCertificates }: Facts): Finding[] {
  const found: Finding[] = [];
  if (config.plainHttp && !config.hostIsLoopback) {
    const advice = "Leave out TOLLGATE_PLAIN_HTTP behind a TLS proxy, and name the proxy instead.";
    found.push(warn("plain HTTP", "people sign in without encryption", advice));
  }
  if (env.outgoingProxies.length > 0) {
    const through = `upstreams are asked through ${env.outgoingProxies.join(", ")}`;
    const isOpen = /(?:^|,)\s*(?:localhost|127\.0\.0\.1|\*)/.test(env.noProxy);
    const advice = "Set NO_PROXY=localhost,127.0.0.1 if an upstream is on this machine.";
    found.push(isOpen ? ok("proxies", through) : warn("proxies", through, advice));
  }
  if (hasExtraCertificates === false) {
    const message = `${env.extraCertificates ?? ""} (NODE_EXTRA_CA_CERTS) has no certificate`;
    found.push(fail("certificates", message, "Name a file of certificates in PEM."));
  }
  return found.length > 0 ? found : [ok("proxies", "none for upstreams")];
}
