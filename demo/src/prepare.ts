/** Creates what a first call through the gateway needs, or finds it from an earlier start. */

import { builtInScripts, faultScripts } from "./models.ts";

export type DemoUser = { readonly username: string; readonly password: string };

type DemoSite = {
  /** The gateway's origin. */
  readonly origin: string;
  /** The gateway's root user. */
  readonly root: DemoUser;
  /** The account that the calls of visitors are charged to. */
  readonly visitors: DemoUser;
  readonly upstream: { readonly url: string };
};

/** `key` includes the prefix `sk-`. */
type DemoCall = { readonly key: string; readonly model: string };

/** The account of visitors. `key` includes the prefix `sk-`. */
export type Visitors = { readonly userId: number; readonly key: string };

type Prepared = {
  /** Whether the demo could sign in to the gateway with the root password that it knows. */
  readonly signedIn: boolean;
  /** Null: there is no API key, or none that the demo may read. */
  readonly call: DemoCall | null;
  /** Null: visitors cannot make calls. */
  readonly visitors: Visitors | null;
  /** What the demo could not add to the gateway, each with the gateway's reason. */
  readonly missing: readonly string[];
  /** The gateway's id of root; null: the demo could not sign in. */
  readonly rootId: number | null;
  /** The ids of the demo's channels, by the models of chat that they have. */
  readonly channels: ReadonlyMap<string, number>;
};

const named = "demo";

/** Results of tasks come through the gateway, so that its console can show them. */
const streamsResults = JSON.stringify({ stream_results: true });

/** The models that the gateway's form of a new channel of this type suggests. */
const suggested = "suggested";

type DemoChannel = {
  readonly name: string;
  readonly type: number;
  readonly setting: string;
  readonly models: readonly string[] | typeof suggested;
};

/** A channel with one model of the same name, and the API that its `wire` names. */
function channelOf(api: string, type: number, wire: string): DemoChannel {
  const setting = wire === "" ? "" : JSON.stringify({ wire });
  const name = `${named}-${api}`;
  return { name, type, setting, models: [name] };
}

/**
 * The demo's channels: one of chat with most models, one of each other API, so that a newcomer sees
 * calls being translated, one whose models fail, and one of each platform of tasks.
 */
const channels: readonly DemoChannel[] = [
  {
    name: named,
    type: 1,
    setting: "",
    models: ["demo-chat", "demo-embed", "demo-fast", "demo-slow", "demo-think"],
  },
  channelOf("responses", 1, "openai-responses"),
  channelOf("messages", 14, ""),
  channelOf("gemini", 24, ""),
  // Apart, because a channel that fails is left for a while.
  { name: `${named}-faults`, type: 1, setting: "", models: Object.keys(faultScripts) },
  {
    name: `${named}-midjourney`,
    type: 2,
    setting: "",
    models: suggested,
  },
  {
    name: `${named}-suno`,
    type: 36,
    setting: streamsResults,
    models: ["suno_music", "suno_lyrics"],
  },
  {
    name: `${named}-kling`,
    type: 50,
    setting: streamsResults,
    models: ["kling-v1", "kling-image-v1", "kling-extend", "kling-lip-sync"],
  },
  { name: `${named}-video`, type: 55, setting: streamsResults, models: ["sora-2"] },
  {
    name: `${named}-doubao`,
    type: 54,
    setting: streamsResults,
    models: ["doubao-seedance-1-0-pro"],
  },
];

/** Dollars for a task of the models that have no price yet. */
const taskPrice = 0.1;
const videoModels = [
  "doubao-seedance-1-0-pro",
  "kling-extend",
  "kling-image-v1",
  "kling-lip-sync",
  "kling-v1",
  "sora-2",
];

/** Ratio 1: two dollars per million input tokens; output costs twice that. */
const modelRatio = 1;
const completionRatio = 2;

type Envelope = { readonly success: boolean; readonly message: string; readonly data: unknown };

/**
 * The balance that the account of visitors has after each start, in quota units: five dollars, or
 * some 40,000 calls. When it is spent, the account's calls are refused until the next start.
 */
const visitorsQuota = 2_500_000;

type Call = (method: string, path: string, body?: object) => Promise<unknown>;

/**
 * The gateway refused a call. This is expected, because an operator may have changed anything since
 * the last start.
 */
class Refused extends Error {}

/**
 * Adds to the gateway what a first call needs, as far as the gateway allows. A refusal is reported
 * and not fatal, because an operator may have changed anything.
 */
export async function prepareDemo(site: DemoSite): Promise<Prepared> {
  const missing: string[] = [];
  const attempt = async <Made>(what: string, make: () => Promise<Made>): Promise<Made | null> => {
    try {
      return await make();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      missing.push(`${what} (the gateway says: ${error.message})`);
      return null;
    }
  };
  const { origin, root } = site;
  const signed = await attempt(`a sign-in as ${root.username}`, () => signIn(origin, root));
  if (signed === null) {
    const nothing = { call: null, visitors: null, rootId: null, channels: new Map() };
    return { signedIn: false, ...nothing, missing };
  }
  const { call } = signed;
  await attempt("prices of its models", () => putPrices(call));
  const known = await attempt("its channels", () => listChannels(call));
  const offered = await attempt("models of its channels", () => listSuggested(call));
  for (const channel of known === null ? [] : channels) {
    const models =
      channel.models === suggested ? (offered?.get(channel.type) ?? []) : channel.models;
    await attempt(`its channel ${channel.name}`, () =>
      putChannel(
        call,
        { ...channel, models: models.join(",") },
        {
          base_url: site.upstream.url,
          id: known?.get(channel.name),
        },
      ),
    );
  }
  const key = await attempt("a key to call with", () => putToken(call));
  const visitors = await attempt("an account for the calls of visitors", () =>
    putVisitors(call, site),
  );
  const first = key === null ? null : { key, model: "demo-chat" };
  const made = await attempt("a list of its channels", () => listChannels(call));
  const served = made === null ? new Map<string, number>() : byModel(made);
  return {
    signedIn: true,
    call: first,
    visitors,
    missing,
    rootId: signed.userId,
    channels: served,
  };
}

/** Returns the ids of channels by the models that the demo has given them. */
function byModel(ids: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map(
    channels.flatMap(({ name, models }) => {
      const id = ids.get(name);
      if (id === undefined || models === suggested) return [];
      return models.map((model) => [model, id] as const);
    }),
  );
}

type SignedIn = { readonly userId: number; readonly call: Call };

async function signIn(origin: string, { username, password }: DemoUser): Promise<SignedIn> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  const response = await fetch(`${origin}/api/user/login`, {
    method: "POST",
    headers,
    body: JSON.stringify({ username, password }),
  });
  const user = rowOf(dataOf(await response.json()));
  if (user["require_2fa"] === true) throw new Refused("a second factor is needed");
  headers["cookie"] = response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
  headers["new-api-user"] = String(user["id"]);
  const call: Call = async (method, path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(origin + path, { method, headers, ...sent });
    return dataOf(await answer.json());
  };
  return { userId: Number(user["id"]), call };
}

async function putPrices(call: Call): Promise<void> {
  const rows = listOf(await call("GET", "/api/option/"));
  for (const [key, ratio] of [
    ["ModelRatio", modelRatio],
    ["CompletionRatio", completionRatio],
  ] as const) {
    const text = rows.find((row) => row["key"] === key)?.["value"];
    const prices = typeof text === "string" ? rowOf(JSON.parse(text)) : {};
    for (const model of Object.keys(builtInScripts)) prices[model] ??= ratio;
    await call("PUT", "/api/option/", { key, value: JSON.stringify(prices) });
  }
  const text = rows.find((row) => row["key"] === "ModelPrice")?.["value"];
  const fixed = typeof text === "string" ? rowOf(JSON.parse(text)) : {};
  for (const model of videoModels) fixed[model] ??= taskPrice;
  await call("PUT", "/api/option/", { key: "ModelPrice", value: JSON.stringify(fixed) });
  // Who signs up to a demo goes on trying it, with a dollar; a balance that was set stays.
  const start = rows.find((row) => row["key"] === "QuotaForNewUser")?.["value"];
  if (Number(start ?? 0) === 0) {
    await call("PUT", "/api/option/", { key: "QuotaForNewUser", value: String(dollar) });
  }
}

/** Quota units of a dollar, as a new installation counts them. */
const dollar = 500_000;

/** Returns the ids of the channels of an earlier start, by their names. */
async function listChannels(call: Call): Promise<ReadonlyMap<string, number>> {
  const rows = listOf(await call("GET", `/api/channel/search?keyword=${named}`));
  return new Map(rows.map((row) => [String(row["name"]), Number(row["id"])]));
}

/** Returns the models that the gateway suggests for each type of channels. */
async function listSuggested(call: Call): Promise<ReadonlyMap<number, readonly string[]>> {
  const types = Object.entries(rowOf(await call("GET", "/api/models")));
  return new Map(
    types.map(([type, models]) => [Number(type), Array.isArray(models) ? models.map(String) : []]),
  );
}

/**
 * Creates the channel to the demo upstream, or gives the existing one the upstream's port, which
 * may differ from that of the last start.
 */
async function putChannel(
  call: Call,
  given: Omit<DemoChannel, "models"> & { readonly models: string },
  { id, base_url }: { readonly id: number | undefined; readonly base_url: string },
): Promise<void> {
  const channel = {
    key: "sk-demo-upstream",
    ...given,
    base_url,
    group: "default",
    status: 1,
  };
  if (id === undefined) await call("POST", "/api/channel/", channel);
  else await call("PUT", "/api/channel/", { ...channel, id });
}

async function putToken(call: Call): Promise<string> {
  const rows = listOf(await call("GET", `/api/token/search?keyword=${named}`));
  const known = rows.find((row) => row["name"] === named);
  const token = known ?? rowOf(await call("POST", "/api/token/", newToken));
  const revealed = await call("POST", `/api/token/${String(token["id"])}/key`);
  const key = String(typeof revealed === "string" ? revealed : rowOf(revealed)["key"]);
  return key.startsWith("sk-") ? key : `sk-${key}`;
}

const newToken = { name: named, remain_quota: 0, expired_time: -1, unlimited_quota: true };

/**
 * Creates the account of visitors with a key, or finds it from an earlier start, and fills its
 * balance up.
 */
async function putVisitors(root: Call, { origin, visitors }: DemoSite): Promise<Visitors> {
  const { username } = visitors;
  const rows = listOf(await root("GET", `/api/user/query?keyword=${username}`));
  if (!rows.some((row) => row["username"] === username)) {
    // A password that root gives has to be replaced at the first sign-in.
    const given = { username, password: crypto.randomUUID() };
    await root("POST", "/api/user/", { ...given, display_name: "Demo visitors" });
    const { password } = visitors;
    await (await signIn(origin, given)).call("PUT", "/api/user/self", { password });
  }
  const { userId, call } = await signIn(origin, visitors);
  const { quota } = rowOf(await root("GET", `/api/user/${userId}`));
  const quota_delta = visitorsQuota - Number(quota);
  if (quota_delta > 0) {
    const reason = "The demo fills up the balance of its visitors.";
    await root("PUT", "/api/user/", { id: userId, quota_delta, reason });
  }
  return { userId, key: await putToken(call) };
}

type Row = Record<string, unknown>;

function rowOf(value: unknown): Row {
  // Built with `Object.fromEntries`, because a cast alone would not guarantee that the keys are
  // strings.
  return Object.fromEntries(Object.entries(Object(value)));
}

function listOf(value: unknown): Row[] {
  return Array.isArray(value) ? value.map(rowOf) : [];
}

function dataOf(answer: unknown): unknown {
  // Reads the envelope that every console answer has; in anything else `success` is undefined.
  const { success, message, data } = Object(answer) as Envelope;
  if (success !== true) throw new Refused(message);
  return data;
}
