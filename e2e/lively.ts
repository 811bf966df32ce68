/** Fills an installation as if it were in use: users, channels, tokens and calls of every kind. */

import type { Api } from "./product.ts";
import { addUser, type Site } from "./support.ts";
import { signIn } from "./product.ts";

/**
 * Models of the demo upstream under the names of real models, with the usage of one call of each.
 */
const models: Readonly<Record<string, { promptTokens: number; events: number }>> = {
  "gpt-4o": { promptTokens: 1_840, events: 220 },
  "gpt-4o-mini": { promptTokens: 640, events: 96 },
  "gpt-4.1": { promptTokens: 5_120, events: 410 },
  "o4-mini": { promptTokens: 900, events: 1_200 },
  "deepseek-chat": { promptTokens: 2_300, events: 180 },
  "deepseek-reasoner": { promptTokens: 780, events: 640 },
};

/** The channel type of DeepSeek, whose base URLs include the version. */
const deepSeek = 43;

const channels: readonly (readonly [string, number, string, number, number])[] = [
  ["OpenAI 主用", 1, "gpt-4o,gpt-4o-mini,gpt-4.1,o4-mini", 10, 5],
  ["OpenAI 备用", 1, "gpt-4o,gpt-4o-mini", 5, 3],
  ["OpenAI enterprise", 1, "gpt-4o,gpt-4.1", 5, 2],
  ["DeepSeek 官方", 43, "deepseek-chat,deepseek-reasoner", 10, 5],
  ["DeepSeek 备用", 43, "deepseek-chat", 1, 1],
  ["Moonshot", 25, "moonshot-v1-8k,moonshot-v1-32k", 0, 1],
  ["零一万物", 31, "yi-large", 0, 1],
  ["通义千问", 17, "qwen-max,qwen-plus", 0, 1],
  ["智谱 GLM", 26, "glm-4", 0, 1],
  ["Mistral", 42, "mistral-large-latest", 0, 1],
  ["自建 vLLM", 8, "qwen3-32b", 0, 1],
];

const names = ["wangmin", "chenyu", "liujia", "zhaoqi", "olivia", "kenji", "alice"];

/** Number of calls that each spending user makes. */
const callsEach = 45;

/** Whether the installation was filled already: whether the first of the users exists. */
export async function isLively(site: Site): Promise<boolean> {
  const found = await site.api.root.call("GET", `/api/user/search?keyword=${names[0]}`);
  // Safe cast: the contract of `searchUsers`.
  return (found as { readonly items: readonly object[] }).items.length > 0;
}

export async function enliven(site: Site): Promise<void> {
  const { root } = site.api;
  for (const [name, script] of Object.entries(models)) await putScript(site, name, script);
  for (const channel of channels) await addChannel(root, site.upstream, channel);
  await useChannels(root);
  for (const token of rootTokens) await root.call("POST", "/api/token/", token);
  const keys = [];
  for (const name of names) keys.push(...(await addSpender(site, name)));
  await Promise.all(keys.map((key, index) => makeCalls(site, key, index)));
}

async function putScript(site: Site, name: string, script: object): Promise<void> {
  await fetch(`${site.upstream}/__demo/scripts/${name}`, {
    method: "PUT",
    body: JSON.stringify(script),
  });
}

async function addChannel(
  root: Api,
  base_url: string,
  [name, type, served, priority, weight]: (typeof channels)[number],
): Promise<void> {
  const address = type === deepSeek ? `${base_url}/v1` : base_url;
  const channel = { name, type, models: served, priority, weight, base_url: address };
  // Ignores a refusal: a channel type that does not exist yet is left out.
  await root
    .call("POST", "/api/channel/", { ...channel, key: "sk-upstream", group: "default", status: 1 })
    .catch(() => undefined);
}

/** Tests some channels and disables one, as an operator would. */
async function useChannels(root: Api): Promise<void> {
  const rows = (await root.call("GET", "/api/channel/?p=0&page_size=100")) as readonly {
    readonly id: number;
    readonly name: string;
  }[]; // safe cast: the contract of `listChannels`
  for (const { id, name } of rows) {
    if (/OpenAI|DeepSeek/.test(name)) await root.call("GET", `/api/channel/test/${id}`);
    if (name === "Moonshot") await root.call("PUT", "/api/channel/", { id, status: 2 });
  }
}

const monthSeconds = 30 * 24 * 60 * 60;

const rootTokens: readonly object[] = [
  { name: "生产环境", expired_time: -1, unlimited_quota: true, remain_quota: 0 },
  { name: "staging", expired_time: -1, remain_quota: 5_000_000 },
  {
    name: "数据分析",
    expired_time: Math.floor(Date.now() / 1_000) + monthSeconds,
    remain_quota: 1_200_000,
    model_limits_enabled: true,
    model_limits: "gpt-4o,gpt-4o-mini",
  },
];

/** Adds a user with a balance and two tokens. Returns the keys of the tokens. */
async function addSpender(site: Site, username: string): Promise<string[]> {
  const { root } = site.api;
  const api = await signIn(site.origin, await addUser(root, username));
  await root.call("PUT", "/api/user/", { id: api.user.id, quota_delta: 20_000_000 });
  const keys = [];
  for (const token of [
    { name: "我的笔记本", unlimited_quota: true },
    { name: "ci-runner", remain_quota: 2_500_000 },
  ]) {
    const made = (await api.call("POST", "/api/token/", {
      expired_time: -1,
      remain_quota: 0,
      ...token,
    })) as { key: string }; // safe cast: the contract of `createToken`
    keys.push(made.key.startsWith("sk-") ? made.key : `sk-${made.key}`);
  }
  return keys;
}

async function makeCalls(site: Site, key: string, from: number): Promise<void> {
  const served = [...Object.keys(models), "demo-error"];
  for (let at = 0; at < callsEach / 2; at += 1) {
    // The calls go through all models; every ninth may also go to `demo-error`, which fails.
    const model = served[(from + at * at) % (at % 9 === 8 ? served.length : served.length - 1)];
    const answer = await fetch(`${site.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model,
        messages: [{ role: "user", content: "hi" }],
        stream: at % 2 === 0,
      }),
    });
    await answer.arrayBuffer();
  }
}
