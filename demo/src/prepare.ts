/** Creates what a first call through the gateway needs, or finds it from an earlier start. */

import { builtInScripts } from "./models.ts";

type DemoSite = {
  /** The gateway's origin. */
  readonly origin: string;
  /** Its root user. */
  readonly username: string;
  readonly password: string;
  readonly upstream: { readonly url: string };
};

/** `key` with its `sk-`. */
type DemoCall = { readonly key: string; readonly model: string };

const named = "demo";

/** Ratio 1: two dollars per million input tokens; output costs twice that. */
const modelRatio = 1;
const completionRatio = 2;

type Envelope = { readonly success: boolean; readonly message: string; readonly data: unknown };

type Call = (method: string, path: string, body?: object) => Promise<unknown>;

/** @throws Error with the gateway's message if it refuses one of the calls. */
export async function prepareDemo(site: DemoSite): Promise<DemoCall> {
  const call = await signIn(site);
  await putPrices(call);
  await putChannel(call, site.upstream.url);
  return { key: await putToken(call), model: "demo-chat" };
}

async function signIn({ origin, username, password }: DemoSite): Promise<Call> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  const response = await fetch(`${origin}/api/user/login`, {
    method: "POST",
    headers,
    body: JSON.stringify({ username, password }),
  });
  const user = rowOf(dataOf(await response.json()));
  headers["cookie"] = response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
  headers["new-api-user"] = String(user["id"]);
  return async (method, path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(origin + path, { method, headers, ...sent });
    return dataOf(await answer.json());
  };
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
}

/** The upstream's port changes with each start. */
async function putChannel(call: Call, base_url: string): Promise<void> {
  const rows = listOf(await call("GET", `/api/channel/search?keyword=${named}`));
  const known = rows.find((row) => row["name"] === named);
  const channel = {
    name: named,
    type: 1,
    key: "sk-demo-upstream",
    base_url,
    models: Object.keys(builtInScripts).join(","),
    group: "default",
    status: 1,
  };
  if (known === undefined) await call("POST", "/api/channel/", channel);
  else await call("PUT", "/api/channel/", { ...channel, id: known["id"] });
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

type Row = Record<string, unknown>;

function rowOf(value: unknown): Row {
  // Made of entries, because nothing else says that an object has string keys.
  return Object.fromEntries(Object.entries(Object(value)));
}

function listOf(value: unknown): Row[] {
  return Array.isArray(value) ? value.map(rowOf) : [];
}

function dataOf(answer: unknown): unknown {
  // The envelope of every console answer; anything else has no `success`.
  const { success, message, data } = Object(answer) as Envelope;
  if (success !== true) throw new Error(`the gateway refused to prepare the demo: ${message}`);
  return data;
}
