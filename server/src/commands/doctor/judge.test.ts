import { describe, expect, test } from "bun:test";
import type { DatabaseFacts } from "./database-facts.ts";
import type { Facts } from "./facts.ts";
import type { State } from "./finding.ts";
import { judgeFacts } from "./judge.ts";

type Read = Extract<DatabaseFacts, { readonly kind: "read" }>;

const gigabyte = 1024 ** 3;
const nowMs = Date.parse("2026-11-30T12:00:00Z");

const channel = {
  name: "main",
  status: 1,
  groups: ["default"],
  models: ["m"],
  hasKeys: true,
  fault: null,
  testError: "",
};

const read: Read = {
  kind: "read",
  wrongKey: null,
  clockMs: nowMs,
  askedMs: nowMs,
  newestMs: nowMs - 1_000,
  isWhole: null,
  server: {
    version: "17.2",
    isStandby: false,
    fsync: true,
    synchronousCommit: "on",
    connectionsMax: 100,
    connections: 10,
    lineage: "7:00000001",
  },
  notices: [],
  hasRoot: true,
  rootHasFactor: true,
  options: new Map([
    ["SMTPServer", "mail.example.com"],
    ["SMTPFrom", "shop@example.com"],
    ["RegisterEnabled", "false"],
  ]),
  badOptions: [],
  channels: [channel],
  groups: ["default"],
  unpriced: [],
};

const sound: Facts = {
  version: "0.1.0",
  config: {
    dataDir: "/data",
    database: { dialect: "postgres", url: "postgres://db/tollgate" },
    host: "0.0.0.0",
    hostIsLoopback: false,
    plainHttp: false,
    port: 3_000,
    secretKeyFile: "",
  },
  env: { trustedProxies: 1, outgoingProxies: [], noProxy: "", extraCertificates: null },
  nowMs,
  folder: { mode: 0o700, isWritable: true },
  keyMode: null,
  hasExtraCertificates: null,
  disk: { freeBytes: 50 * gigabyte, allBytes: 100 * gigabyte },
  filesMax: 65_536,
  memoryBytes: 2 * gigabyte,
  isRunning: true,
  database: read,
  publicAddress: { url: "https://api.example.com", fault: null },
  mailServer: { host: "mail.example.com", fault: null },
};

const stored = (part: Partial<Read>): Partial<Facts> => ({ database: { ...read, ...part } });
const server = (part: Partial<NonNullable<Read["server"]>>): Partial<Facts> =>
  stored({ server: read.server === null ? null : { ...read.server, ...part } });
const withOptions = (texts: Readonly<Record<string, string>>): Partial<Facts> =>
  stored({ options: new Map([...read.options, ...Object.entries(texts)]) });
const withChannel = (part: Partial<typeof channel> | { readonly fault: string }): Partial<Facts> =>
  stored({ channels: [channel, { ...channel, name: "bad", ...part }] });

const planted: readonly (readonly [Partial<Facts>, State, string, RegExp])[] = [
  [{ folder: { mode: 0o700, isWritable: false } }, "fail", "folder", /cannot be written/],
  [{ folder: { mode: 0o755, isWritable: true } }, "warn", "folder", /other users .*755/],
  [{ keyMode: 0o644 }, "fail", "key file", /other users can read/],
  [{ disk: { freeBytes: 1_000, allBytes: gigabyte } }, "fail", "disk", /0 MB free/],
  [{ disk: { freeBytes: gigabyte / 2, allBytes: gigabyte } }, "warn", "disk", /512 MB free/],
  [{ filesMax: 128 }, "fail", "files", /only 128 files/],
  [{ filesMax: 1_024 }, "warn", "files", /only 1024 files/],
  [{ memoryBytes: gigabyte / 8 }, "warn", "memory", /128 MB/],
  [{ publicAddress: null }, "warn", "address", /ServerAddress is empty/],
  [
    { publicAddress: { url: "http://api.example.com", fault: null } },
    "warn",
    "address",
    /not encrypted/,
  ],
  [
    { publicAddress: { url: "https://x.example", fault: "status 502" } },
    "warn",
    "address",
    /status 502/,
  ],
  [
    { publicAddress: { url: "https://x.example", fault: "certificate-expired" } },
    "fail",
    "certificate",
    /certificate-expired/,
  ],
  [{ env: { ...sound.env, trustedProxies: 0 } }, "warn", "proxies", /not trusted/],
  [{ env: { ...sound.env, outgoingProxies: ["proxy:3128"] } }, "warn", "proxies", /proxy:3128/],
  [{ hasExtraCertificates: false }, "fail", "certificates", /no certificate/],
  [{ config: { ...sound.config, plainHttp: true } }, "warn", "plain HTTP", /without encryption/],
  [{ database: { kind: "unreachable", reason: "refused" } }, "fail", "database", /refused/],
  [
    { database: { kind: "schema", reason: "written by a newer version" } },
    "fail",
    "database",
    /newer/,
  ],
  [stored({ isWhole: false }), "fail", "database", /damaged/],
  [stored({ notices: ["a pooler drops the limits"] }), "warn", "database", /pooler/],
  [server({ isStandby: true }), "fail", "standby", /takes no writes/],
  [server({ version: "13.1" }), "warn", "database", /older than 15/],
  [server({ fsync: false }), "fail", "database", /power cut/],
  [server({ synchronousCommit: "off" }), "fail", "database", /synchronous_commit/],
  [server({ connections: 95 }), "warn", "database", /95 of 100/],
  [server({ lineage: "" }), "warn", "lineage", /fail-over/],
  [stored({ wrongKey: "the secret key is not the one" }), "fail", "key", /not the one/],
  [stored({ clockMs: nowMs + 60_000 }), "fail", "clock", /60\.0 s apart/],
  [stored({ clockMs: nowMs - 2_000 }), "warn", "clock", /2\.0 s apart/],
  [stored({ newestMs: nowMs + 86_400_000 }), "fail", "clock", /in the future/],
  [stored({ hasRoot: false }), "warn", "root", /no root account/],
  [stored({ rootHasFactor: false }), "warn", "root", /second factor/],
  [stored({ badOptions: ["RetryTimes (is not a number)"] }), "fail", "options", /RetryTimes/],
  [withOptions({ RegisterEnabled: "true", QuotaForNewUser: "5" }), "warn", "options", /any number/],
  [withOptions({ SMTPFrom: "nobody" }), "fail", "mail", /no sender/],
  [{ mailServer: null }, "warn", "mail", /no mail server/],
  [
    { ...withOptions({ EmailVerificationEnabled: "true" }), mailServer: null },
    "fail",
    "mail",
    /need a code/,
  ],
  [{ mailServer: { host: "mail", fault: "unresolved" } }, "fail", "mail", /unresolved/],
  [stored({ channels: [] }), "warn", "channels", /no channel is enabled/],
  [withChannel({ hasKeys: false }), "fail", "channels", /bad: no key/],
  [withChannel({ fault: "the key cannot be opened" }), "fail", "channels", /cannot be opened/],
  [withChannel({ status: 3 }), "warn", "channels", /bad: disabled by the gateway/],
  [withChannel({ testError: "status 401" }), "warn", "channels", /bad: the last test failed/],
  [withChannel({ groups: ["gone"] }), "warn", "channels", /bad: in a group/],
  [stored({ unpriced: ["m"] }), "warn", "prices", /m: no price/],
];

describe("the doctor", () => {
  test("finds nothing wrong with a sound installation", () => {
    const findings = judgeFacts(sound);
    expect(findings.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(findings.map(({ check }) => check)).toContain("clock");
  });

  for (const [part, state, check, message] of planted) {
    test(`says ${state} of ${check}: ${message.source}`, () => {
      const found = judgeFacts({ ...sound, ...part }).filter((one) => one.state !== "ok");
      expect(found).toContainEqual({
        check,
        state,
        message: expect.stringMatching(message),
        advice: expect.any(String),
      });
    });
  }

  test("says what to do about each fault", () => {
    expect(planted.length).toBeGreaterThanOrEqual(20);
    // What the database says of schema, key and pooler has its advice in the sentence.
    const own = /newer|not the one|pooler/;
    for (const [part, , , message] of planted) {
      const found = judgeFacts({ ...sound, ...part }).find((one) => message.test(one.message));
      expect([found?.message, (found?.advice ?? "") !== "" || own.test(message.source)]).toEqual([
        found?.message,
        true,
      ]);
    }
  });
});
