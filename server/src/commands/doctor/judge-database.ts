/** Judges what stands in the database. */

import type { ChannelFact, DatabaseFacts, ServerFacts } from "./database-facts.ts";
import type { Facts } from "./facts.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";

type Read = Extract<DatabaseFacts, { readonly kind: "read" }>;

export function judgeDatabase({ database, config, mailServer }: Facts): Finding[] {
  const name = config.database.dialect === "sqlite" ? "SQLite" : "PostgreSQL";
  if (database.kind === "unreachable") {
    const advice =
      name === "SQLite"
        ? "Look at the folder; a damaged file is restored from a backup (docs/operate/backup.md)."
        : "Look at DATABASE_URL, at the server, and at its pg_hba.conf.";
    return [fail("database", `${name} cannot be used: ${database.reason}`, advice)];
  }
  if (database.kind === "schema") return [fail("database", database.reason)];
  return [
    ...judgeStore(database, name),
    ...(database.server === null ? [] : judgeServer(database.server)),
    ...judgeKey(database),
    ...judgeClock(database),
    ...judgeRoot(database),
    ...judgeOptions(database),
    ...judgeMail(database, mailServer),
    ...judgeChannels(database),
  ];
}

function judgeStore({ isWhole, notices }: Read, name: string): Finding[] {
  const restore = "Keep a copy of it, and restore the last backup (docs/operate/backup.md).";
  if (isWhole === false) return [fail("database", "the SQLite file is damaged", restore)];
  const found = notices.map((notice) => warn("database", notice));
  return [ok("database", `${name} answers, with the tables of this version`), ...found];
}

const oldestVersion = 15;
/** The share of connections from which on a further node may get none. */
const fullShare = 0.8;

function judgeServer(server: ServerFacts): Finding[] {
  const { version, isStandby, fsync, synchronousCommit, connections, connectionsMax } = server;
  const found: Finding[] = [];
  if (isStandby) {
    const advice = "Name the primary in DATABASE_URL, or target_session_attrs=read-write.";
    found.push(fail("standby", "this server is a standby and takes no writes", advice));
  }
  if (Number.parseInt(version, 10) < oldestVersion) {
    const message = `PostgreSQL ${version} is older than ${oldestVersion}`;
    found.push(warn("database", message, "Upgrade it; older ones are not tried."));
  }
  if (!fsync) {
    const message = "fsync is off: a power cut can damage the database";
    found.push(fail("database", message, "Set fsync = on."));
  }
  if (synchronousCommit === "off") {
    const advice = "Set synchronous_commit = on: what was charged may be lost otherwise.";
    found.push(fail("database", "synchronous_commit is off", advice));
  }
  if (connections > connectionsMax * fullShare) {
    const message = `${connections} of ${connectionsMax} connections are in use`;
    found.push(warn("database", message, "Raise max_connections, or use a pooler."));
  }
  if (server.lineage === "" && !isStandby) {
    const advice = "grant execute on function pg_control_system() to the gateway's role.";
    const message = "the history of the server is not told, so a fail-over is noticed later";
    found.push(warn("lineage", message, advice));
  }
  const shown = server.lineage === "" ? "" : `, history ${server.lineage}`;
  return found.length > 0 ? found : [ok("server", `PostgreSQL ${version}, primary${shown}`)];
}

function judgeKey({ wrongKey }: Read): Finding[] {
  return [wrongKey === null ? ok("key", "it is the database's own") : fail("key", wrongKey)];
}

const clockFailMs = 5_000;
const clockWarnMs = 1_000;
/** How far entries may be ahead of the clock, in milliseconds. */
const aheadMs = 60_000;

function judgeClock({ clockMs, askedMs, newestMs }: Read): Finding[] {
  const apart = Math.abs(clockMs - askedMs);
  const seconds = `${(apart / 1_000).toFixed(1)} s`;
  const advice = "Let NTP set both clocks (timedatectl set-ntp true).";
  if (newestMs - askedMs > aheadMs) {
    const at = new Date(newestMs).toISOString();
    return [fail("clock", `the newest entry is of ${at}, which is in the future`, advice)];
  }
  if (apart > clockFailMs) {
    return [fail("clock", `the database's clock is ${seconds} apart`, advice)];
  }
  if (apart > clockWarnMs) {
    return [warn("clock", `the database's clock is ${seconds} apart`, advice)];
  }
  return [ok("clock", `the database's is ${seconds} apart`)];
}

function judgeRoot({ hasRoot, rootHasFactor }: Read): Finding[] {
  if (!hasRoot) {
    const advice =
      "Open the link that the gateway prints, or name root in a file (tollgate apply).";
    return [warn("root", "there is no root account yet", advice)];
  }
  if (rootHasFactor) return [ok("root", "root has a second factor")];
  const advice = "Add one in the console: account settings, second factor.";
  return [warn("root", "root has no second factor", advice)];
}

function judgeOptions({ badOptions, options }: Read): Finding[] {
  const found = badOptions.map((bad) =>
    fail("options", `the stored value is not used: ${bad}`, "Save the option again."),
  );
  const isOn = (name: string): boolean => options.get(name) === "true";
  const isGuarded = isOn("TurnstileCheckEnabled") || isOn("EmailVerificationEnabled");
  const gift = Number(options.get("QuotaForNewUser") ?? 0);
  if (isOn("RegisterEnabled") && !isGuarded && gift > 0) {
    const advice = "Turn on e-mail verification or the bot check, or QuotaForNewUser = 0.";
    found.push(warn("options", "everybody may register any number of accounts with quota", advice));
  }
  return found;
}

function judgeMail({ options }: Read, server: Facts["mailServer"]): Finding[] {
  const sender = (options.get("SMTPFrom") || options.get("SMTPAccount")) ?? "";
  if (server === null) {
    const advice = "Set the SMTP options, so that passwords can be reset and warnings arrive.";
    const needs = options.get("EmailVerificationEnabled") === "true";
    const message = needs
      ? "accounts need a code by e-mail, but there is no mail server"
      : "there is no mail server";
    return [(needs ? fail : warn)("mail", message, advice)];
  }
  if (!sender.includes("@")) {
    return [fail("mail", "no sender is set", "Set SMTPFrom to an e-mail address.")];
  }
  if (server.fault === null) return [ok("mail", `${server.host}, from ${sender}`)];
  const advice =
    server.fault === "forbidden"
      ? "Name its network in TOLLGATE_PRIVATE_UPSTREAMS."
      : "Look at option SMTPServer and at the name servers of this machine.";
  return [fail("mail", `${server.host} cannot be used: ${server.fault}`, advice)];
}

/** How many names a line lists. */
const namesMax = 5;

function names(all: readonly string[]): string {
  const shown = all.slice(0, namesMax).join(", ");
  return all.length > namesMax ? `${shown} and ${all.length - namesMax} more` : shown;
}

function judgeChannels({ channels, groups, unpriced }: Read): Finding[] {
  const found: Finding[] = [];
  const isOn = ({ status }: ChannelFact): boolean => status === 1;
  const tell = (
    make: typeof fail,
    which: readonly ChannelFact[],
    message: string,
    advice: string,
  ): void => {
    if (which.length === 0) return;
    found.push(make("channels", `${names(which.map(({ name }) => name))}: ${message}`, advice));
  };
  if (!channels.some(isOn)) {
    const advice = "Add one in the console, or with tollgate apply.";
    found.push(warn("channels", "no channel is enabled, so no call is served", advice));
  }
  for (const channel of channels.filter(({ fault }) => fault !== null)) {
    tell(fail, [channel], channel.fault ?? "", "Save the channel again, with its key.");
  }
  const usable = channels.filter(({ fault }) => fault === null);
  tell(
    fail,
    usable.filter((channel) => isOn(channel) && !channel.hasKeys),
    "no key",
    "Enter its key.",
  );
  tell(
    warn,
    channels.filter(({ status }) => status === 3),
    "disabled by the gateway",
    "Look at the reason in the list of channels, and test it.",
  );
  tell(
    warn,
    usable.filter((channel) => isOn(channel) && channel.testError !== ""),
    "the last test failed",
    "Test it again.",
  );
  tell(
    warn,
    usable.filter(
      (channel) => isOn(channel) && channel.groups.some((one) => !groups.includes(one)),
    ),
    "in a group that does not exist",
    "Mend its groups, or add the group's ratio.",
  );
  if (unpriced.length > 0) {
    const message = `${names(unpriced)}: no price, so calls are refused`;
    found.push(warn("prices", message, "Set prices in the console, or take the catalogue's."));
  }
  return found.length > 0 ? found : [ok("channels", `${channels.length}, all models have prices`)];
}
