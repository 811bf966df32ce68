/** A relay opened as in `context.ts`, but with balance and snapshot in memory, not in a database. */

import { offerChannels } from "#relay/routing/offer-channels.ts";
import { createHash } from "node:crypto";
import { unitPrice } from "@tollgate/contract/money/charge.ts";
import type { Language } from "@tollgate/contract/words/languages.ts";
import { openAddressPolicy, judgeAddress } from "#base/address-policy.ts";
import { openByteBudget } from "#base/memory/byte-budget.ts";
import { openLogger } from "#base/logger.ts";
import { openRateLimits } from "#base/rate-limit.ts";
import type { FailedCallLog } from "#canonical/call-log.ts";
import { formats } from "#formats/registry.ts";
import type { ClientRequest } from "#http/client-request.ts";
import { openErrorTexts } from "#http/error-texts.ts";
import { openServer } from "#http/server.ts";
import { openai } from "#providers/openai.ts";
import { openAddressBook } from "#network/address-book.ts";
import { type ApartAnswer, type ApartQuestion, readApart } from "#relay/ways/apart.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { openRelay, type Relay } from "#relay/relay.ts";
import type { ChannelView, RelayOptions, Snapshot, TokenView, UserView } from "#ports/snapshot.ts";
import { countedIn } from "./counted-attempts.ts";
import { openTestAnswers, openTestIssuers } from "./kept.ts";
import { testPrices } from "./prices.ts";
import { openTestMoney, type TestMoney } from "./money.ts";
import { openTicker, type Ticker } from "#network/ticker.ts";
import { openTransport } from "#network/transport.ts";

export function testChannel(
  given: Partial<ChannelView> & { readonly baseUrl: string },
): ChannelView {
  return {
    id: 1,
    name: "channel",
    provider: openai,
    status: 1,
    proxy: null,
    other: "",
    organization: "",
    keys: ["sk-upstream-secret-1"],
    models: new Set(["demo-fast", "m", "fixed"]),
    groups: new Set(["default"]),
    modelMapping: new Map(),
    statusCodeMapping: new Map(),
    paramOverride: null,
    headerOverride: null,
    systemPrompt: "",
    forcesFormat: false,
    thinksInText: false,
    reasoningField: "provider",
    priority: 0,
    weight: 0,
    autoBan: true,
    testModel: "",
    usageTrust: "limit",
    isBackup: false,
    sharesIds: false,
    places: "usual",
    marksCaches: false,
    keyLimits: null,
    streamsResults: false,
    costs: null,
    limits: { connectMs: 5_000, firstByteMs: 60_000, betweenChunksMs: 60_000, totalMs: 600_000 },
    ...given,
  };
}

export const testUser: UserView = {
  id: 7,
  username: "ada",
  role: 1,
  status: 1,
  group: "default",
};

export const testToken: TokenView = {
  id: 70,
  userId: 7,
  name: "laptop",
  lookup: "hash of testkey",
  keyEndsAt: 0,
  masked: "abc***xyz",
  status: 1,
  expiredTime: -1,
  unlimitedQuota: true,
  modelLimits: null,
  allowsIp: null,
  deniesIp: null,
  drawing: null,
  rateLimit: null,
  budgets: null,
  group: "",
  tags: [],
};

const testOptions: RelayOptions = {
  retryTimes: 2,
  placesByModel: {},
  placesByGroup: {},
  cheapestByModel: {},
  cheapestByGroup: {},
  automaticDisable: true,
  automaticDisableKeywords: ["credit balance too low"],
  usableGroups: { vip: "for friends" },
  requestLimit: { windowMs: 60_000, total: 0, successes: 0 },
  callsAtOnce: { perUser: 0, perToken: 0 },
  bodyBytesMax: 1_000_000,
  quotaPerCallMax: 0,
  spendRules: { userHour: 0, gatewayMinute: 0 },
  outputTokensHeld: 4_096,
  thinkingBudgetMax: 200_000,
  embeddingInputsMax: 2_048,
  billingShowsToken: true,
  timeZone: "UTC",
  showsCurrency: true,
  keepsTexts: false,
  keepsAnswersDays: 0,
  takesResponsesSockets: true,
  findWord: null,
};

export type TestRelay = {
  readonly relay: Relay;
  /** The relay's URL, such as `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly money: TestMoney;
  readonly failures: FailedCallLog[];
  /** The attempts that were counted, in words. */
  readonly attempts: string[];
  readonly suspected: { readonly channelId: number; readonly reason: string }[];
  readonly disabled: {
    readonly channelId: number;
    readonly key: string;
    readonly reason: string;
  }[];
  /**
   * The user and token that the tests call with. The relay reads changes after
   * `relay.callersChanged()`.
   */
  readonly callers: TestCallers;
  /** The options that the relay reads; a test may change them. */
  readonly options: RelayOptions;
  readonly marked: { readonly tokenId: number; readonly status: number }[];
  /** What the relay has logged as errors. */
  readonly logged: string[];
  /** What it has logged besides. */
  readonly noted: string[];
  /** Who issued what, as the relay has noted it. */
  readonly issuers: RelayDeps["issuers"];
  /** The answers that the relay has had kept. */
  readonly answers: RelayDeps["answers"];
  /** How all requests so far ended. */
  readonly counts: {
    requests: number;
    /** Whole responses sent; streams do not count. */
    responses: number;
    /** How often the relay has noticed a client's disconnect. */
    disconnects: number;
  };
  /**
   * Milliseconds by which a test has moved the relay's clock, which measures all time limits and
   * stands still otherwise.
   */
  skipMs: number;
  stop(): Promise<void>;
};

export type TestRelayOptions = {
  readonly channels: readonly ChannelView[];
  readonly balance?: number;
  readonly user?: Partial<UserView>;
  readonly token?: Partial<TokenView>;
  readonly options?: Partial<RelayOptions>;
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  readonly allows?: (address: string) => boolean;
  readonly ca?: string;
  readonly random?: () => number;
  /**
   * Whether the clock of the clients' connections stands still when a test moves that of the relay.
   * Otherwise the server ends a connection that opens after the move and before it next looks at
   * its clock, as one that has been silent for that long.
   */
  readonly stillConnections?: boolean;
  readonly shedsLoad?: () => boolean;
  readonly budget?: RelayDeps["budget"];
  readonly warmTokenizer?: () => void;
  readonly tasks?: RelayDeps["tasks"];
  readonly readApart?: RelayDeps["readApart"];
  /** The language of error messages for requests that name none; by default Chinese. */
  readonly errorLanguage?: Language;
};

/**
 * Fields that replace those of `testUser` and `testToken`; null: the user or token does not exist.
 */
type TestCallers = { user: Partial<UserView> | null; token: Partial<TokenView> | null };

/** The key that the tests call with. */
export const testKey = "sk-testkey";

export function openTestRelay(given: TestRelayOptions): TestRelay {
  const money = openTestMoney(given.balance ?? 1_000_000_000);
  const seen: Pick<
    TestRelay,
    "attempts" | "disabled" | "failures" | "logged" | "marked" | "noted" | "suspected"
  > = {
    failures: [],
    disabled: [],
    suspected: [],
    attempts: [],
    marked: [],
    logged: [],
    noted: [],
  };
  let skipMs = 0;
  const counts = { requests: 0, responses: 0, disconnects: 0 };
  const ticker = openTicker(() => 1_000_000 + skipMs);
  const callers: TestCallers = { user: given.user ?? {}, token: given.token ?? {} };
  const deps = { ...testDeps(given, money, seen, ticker), snapshot: testSnapshot(given, callers) };
  const relay = openRelay(deps);
  const server = openServer({
    host: "127.0.0.1",
    port: 0,
    nowMs: given.stillConnections === true ? () => 1_000_000 : ticker.nowMs,
    // Tests move the clock. No connection may end for that while a client sends its next call.
    keepAliveSeconds: 1_000_000,
    onBug: (error) => void seen.logged.push(Bun.inspect(error)),
    answer(request) {
      counts.requests += 1;
      countOutcome(request, counts);
      void relay.answer(request, { clientIp: request.peer, requestId: deps.newRequestId() });
    },
  });
  return {
    relay,
    url: `http://127.0.0.1:${server.port}`,
    money,
    callers,
    options: deps.snapshot.options,
    ...seen,
    issuers: deps.issuers,
    answers: deps.answers,
    counts,
    get skipMs() {
      return skipMs;
    },
    set skipMs(ms) {
      skipMs = ms;
    },
    stop: async () => server.stop(),
  };
}

/** Counts how a request ends. */
function countOutcome(request: ClientRequest, counts: TestRelay["counts"]): void {
  const onDisconnect = request.onDisconnect.bind(request);
  const respond = request.respond.bind(request);
  request.onDisconnect = (left) =>
    onDisconnect(() => {
      counts.disconnects += 1;
      left();
    });
  request.respond = (response) => {
    counts.responses += 1;
    respond(response);
  };
}

/** The desk of a relay without platforms. */
export const noTasks: RelayDeps["tasks"] = {
  find: () => undefined,
  answer: async () => null,
  refuse: ({ route }, { status }) => ({ status, body: route.path }),
};

const hashes = {
  lookupOf: (key: string) => `hash of ${key}`,
  hashedLookupOf: (key: string) => `hash of hash of ${key}`,
  endUserOf: (name: string) => createHash("sha256").update(name).digest("hex"),
};

function testDeps(
  given: TestRelayOptions,
  money: ReturnType<typeof openTestMoney>,
  seen: Pick<
    TestRelay,
    "attempts" | "disabled" | "failures" | "logged" | "marked" | "noted" | "suspected"
  >,
  ticker: Ticker,
): Omit<RelayDeps, "snapshot"> {
  const policy = openAddressPolicy({ privateRanges: [], loopback: true });
  const addresses = openAddressBook({
    allows: given.allows ?? ((address) => judgeAddress(address, policy)),
    resolve: given.resolve ?? (() => Promise.reject(new Error("no names here"))),
    nowMs: ticker.nowMs,
  });
  return {
    now: Date.now,
    random: given.random ?? Math.random,
    newRequestId: () => crypto.randomUUID(),
    tasks: given.tasks ?? noTasks,
    ...hashes,
    priceOf: (model, group) => unitPrice(testPrices, model, group),
    reserve(request) {
      const answer = money.reserve(request);
      return money.asks ? Promise.resolve(answer) : answer;
    },
    recordFailure: (call) => void seen.failures.push(call),
    transport: openTransport({
      addresses,
      ticker,
      ...(given.ca === undefined ? {} : { ca: given.ca }),
    }),
    ticker,
    limits: openRateLimits({ now: () => performance.now() }),
    nodeShare: (limit) => limit,
    places: null,
    tellNodes() {},
    budget: given.budget ?? openByteBudget(512 * 1024 * 1024),
    shedsLoad: given.shedsLoad ?? (() => false),
    answers: openTestAnswers(),
    issuers: openTestIssuers(),
    openTranscript: () => ({ add() {}, end() {} }),
    traces: null,
    tokenizer: testTokenizer(given),
    readApart: given.readApart ?? (async (question) => readInTest(given.channels, question)),
    errorText: openErrorTexts({
      language: () => given.errorLanguage ?? "zh",
      showQuota: (quota) => `$${(quota / Number(testPrices.QuotaPerUnit)).toFixed(6)}`,
    }),
    suspectChannel: ({ id }, reason) => void seen.suspected.push({ channelId: id, reason }),
    disableChannel: ({ id }, key, reason) =>
      void seen.disabled.push({ channelId: id, key, reason }),
    freezeToken: () => {},
    adoptKey: () => {},
    markToken: (tokenId, status) => void seen.marked.push({ tokenId, status }),
    findCall: async () => null,
    readSpending: () => Promise.reject(new Error("no test reads spending")),
    log: logTo(seen),
    attempts: countedIn(seen.attempts),
    metrics: {
      callEnded: () => {},
      channelFault: () => {},
      settleLag: () => {},
      callsOpen: () => {},
    },
  };
}

function logTo({ logged, noted }: Pick<TestRelay, "logged" | "noted">): RelayDeps["log"] {
  const push = (lines: string[]) => (fields: unknown, text?: string) =>
    void lines.push(`${text} ${Bun.inspect(fields)}`);
  return Object.assign(openLogger("silent"), { info: push(noted), error: push(logged) });
}

/** Counts a token in every five characters. */
function testTokenizer(given: TestRelayOptions): RelayDeps["tokenizer"] {
  return {
    count: async (_model, text) => Math.ceil(text.length / 5),
    async countPrompt({ formatId, bytes }) {
      const body: unknown = JSON.parse(new TextDecoder().decode(bytes));
      const { text, extraTokens } = formats[formatId].client.readPrompt(body);
      return Math.ceil(text.length / 5) + extraTokens;
    },
    warm: given.warmTokenizer ?? (() => {}),
  };
}

/** Reads a long answer as another thread does: of plain values alone. */
function readInTest(channels: readonly ChannelView[], question: ApartQuestion): ApartAnswer {
  const provider = channels.find(({ id }) => id === question.channel.id)?.provider;
  if (provider === undefined) throw new Error("the channel is gone");
  return structuredClone(readApart(structuredClone(question), provider));
}

export function testSnapshot(
  { channels, options }: TestRelayOptions,
  callers: TestCallers = { user: {}, token: {} },
): Snapshot {
  const token = () => (callers.token === null ? undefined : { ...testToken, ...callers.token });
  const user = () => (callers.user === null ? undefined : { ...testUser, ...callers.user });
  const offered = () => offerChannels(channels);
  return {
    revision: 1,
    findToken: (lookup) => (lookup === `hash of ${testKey.slice(3)}` ? token() : undefined),
    readToken: async (lookup) => (lookup === `hash of ${testKey.slice(3)}` ? token() : undefined),
    findUser: (id) => (id === testUser.id ? user() : undefined),
    readUser: async (id) => (id === testUser.id ? user() : undefined),
    findChannel: (id) => channels.find((channel) => channel.id === id),
    channels: () => channels,
    tiersFor: (group, model) => offered().offerings.get(group)?.get(model),
    groupsOffered: (model) => offered().offered.get(model),
    modelsOf: (group) => [...(offered().offerings.get(group)?.keys() ?? [])].toSorted(),
    prices: { id: 3, list: testPrices },
    options: { ...testOptions, ...options },
  };
}
