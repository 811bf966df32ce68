import { beforeEach, expect, test } from "bun:test";
import { openRateLimits } from "#base/rate-limit.ts";
import { authenticate } from "./authenticate.ts";
import type { Credential } from "#relay/call/facts.ts";
import { CallRefusal } from "#relay/call/call-refusal.ts";
import type { Snapshot, TokenView, UserView } from "#ports/snapshot.ts";
import { testToken, testUser } from "#relay/testing/relay.ts";

const nowSeconds = 1_800_000_000;
let token: Partial<TokenView> = {};
let user: Partial<UserView> | null = {};
let marked: unknown[] = [];
let adopted: unknown[] = [];
let lookups = 0;
let hashes = 0;
let limits = openRateLimits({ now: () => 0 });

beforeEach(() => {
  token = {};
  user = {};
  marked = [];
  adopted = [];
  lookups = 0;
  hashes = 0;
  limits = openRateLimits({ now: () => 0 });
});

/**
 * A snapshot with one token, whose key is `goodkey`, and two imported ones: `my-key-5`, and one of
 * whose key `team-key_1` only a hash is known.
 */
const snapshot = {
  findToken(lookup: string) {
    if (lookup === "hash of my-key-5") return { ...testToken, id: 71, ...token };
    if (lookup === "other hash of team-key_1") return { ...testToken, id: 72, ...token };
    return lookup === "hash of goodkey" ? { ...testToken, ...token } : undefined;
  },
  findUser: (id: number) => (user === null ? undefined : { ...testUser, id, ...user }),
} as Snapshot;

async function attempt(
  headers: Record<string, string>,
  url = "http://x/v1/models",
  ip = "203.0.113.9",
  queryToo = true,
): Promise<Credential | [number, string]> {
  try {
    return await authenticate(
      {
        snapshot,
        limits,
        lookupOf(key) {
          lookups += 1;
          return `hash of ${key}`;
        },
        hashedLookupOf(key) {
          hashes += 1;
          return `other hash of ${key}`;
        },
        adoptKey: (found, key) => void adopted.push([found.id, key]),
        now: () => nowSeconds * 1_000,
        markToken: (...mark) => void marked.push(mark),
      },
      new Request(url, { headers }),
      ip,
      queryToo,
    );
  } catch (error) {
    if (!(error instanceof CallRefusal)) throw error;
    return [error.status, error.message];
  }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

test("the key is found in every place where a format's clients put it", async () => {
  for (const headers of [
    bearer("sk-goodkey"),
    bearer("goodkey"),
    { authorization: "sk-goodkey" },
    { authorization: "bearer  sk-goodkey" },
    { "x-api-key": "sk-goodkey" },
    { "api-key": "sk-goodkey" },
    { "x-goog-api-key": "sk-goodkey" },
  ]) {
    expect(await attempt(headers)).toMatchObject({ token: { id: 70 }, pinnedChannelId: null });
  }
  expect(await attempt({}, "http://x/v1/models?a=b&key=sk-goodkey")).toMatchObject({
    user: { id: 7 },
  });
});

// Browsers, proxies and logs store URLs, so a key may be in one only where the client's protocol
// puts it there.
test("a key in the query is refused, with what to do, where no protocol needs it", async () => {
  const attemptAt = async (headers: Record<string, string>) =>
    await attempt(headers, "http://x/v1/chat/completions?key=sk-goodkey", "203.0.113.9", false);

  const [status, message] = (await attemptAt({})) as [number, string];
  expect(status).toBe(401);
  expect(message).toContain("Authorization");
  expect(lookups).toBe(0);
  expect(await attemptAt(bearer("sk-goodkey"))).toMatchObject({ user: { id: 7 } });
});

test("two different keys in one request are refused", async () => {
  const query = "http://x/v1/models?key=sk-goodkey";
  const two: [Record<string, string>, string?][] = [
    [{ ...bearer("sk-goodkey"), "x-api-key": "sk-other" }],
    [{ "api-key": "sk-goodkey", "x-goog-api-key": "sk-goodkey-5" }],
    [bearer("sk-other"), query],
    [{}, `${query}&key=sk-other`],
  ];
  for (const [headers, url] of two) {
    expect(await attempt(headers, url)).toEqual([400, "请求中有两个不同的密钥"]);
  }
  const same = { ...bearer("sk-goodkey"), "x-api-key": "goodkey" };
  expect(await attempt(same, query)).toMatchObject({ user: { id: 7 } });
  const empty = { authorization: "Bearer ", "x-api-key": "sk-goodkey" };
  expect(await attempt(empty)).toMatchObject({ user: { id: 7 } });
});

// Other gateways let their users choose keys, which may have dashes and end like a pinned channel.
test("a key with dashes is looked up whole before a channel is seen in it; one without only once", async () => {
  expect(await attempt(bearer("sk-my-key-5"))).toMatchObject({
    token: { id: 71 },
    pinnedChannelId: null,
  });
  expect(lookups).toBe(1);
  expect(await attempt(bearer("sk-goodkey"))).toMatchObject({ token: { id: 70 } });
  expect(lookups).toBe(2);
  user = { role: 10 };
  expect(await attempt(bearer("sk-goodkey-5"))).toMatchObject({
    token: { id: 70 },
    pinnedChannelId: 5,
  });
  expect(await attempt(bearer("sk-my-key"))).toEqual([401, "无效的令牌"]);
});

test("a missing or unknown key reveals nothing about tokens", async () => {
  for (const headers of [{}, { authorization: "" }, { authorization: "Bearer " }]) {
    expect(await attempt(headers)).toEqual([401, "未提供令牌"]);
  }
  for (const key of ["sk-other", "x".repeat(300), "sk--5"]) {
    expect(await attempt(bearer(key))).toEqual([401, "无效的令牌"]);
  }
  expect(lookups).toBe(2); // a key that is too long is not even hashed
});

test("the refusals of the specification's table, in its order", async () => {
  const banned = { status: 2 };
  const cases: [Partial<TokenView>, Partial<UserView> | null, string, [number, string]][] = [
    [{ status: 4, expiredTime: 1 }, banned, "", [401, "该令牌额度已用尽 [abc***xyz]"]],
    [{ status: 3 }, banned, "", [401, "该令牌已过期"]],
    [{ status: 2, expiredTime: nowSeconds }, banned, "", [401, "该令牌已过期"]],
    [{ status: 2 }, banned, "", [401, "该令牌状态不可用"]],
    [{ allowsIp: () => false }, banned, "-5", [403, "用户已被封禁"]],
    [{}, null, "", [403, "用户已被封禁"]],
    [{ allowsIp: () => false }, {}, "-5", [403, "普通用户不支持指定渠道"]],
    [{ allowsIp: () => false }, {}, "", [403, "您的 IP 不在令牌允许访问的列表中"]],
    [{ allowsIp: () => false }, { role: 10 }, "-5", [403, "您的 IP 不在令牌允许访问的列表中"]],
    [{ deniesIp: () => true }, {}, "", [403, "您的 IP 在令牌的黑名单中"]],
  ];
  for (const [givenToken, givenUser, suffix, refused] of cases) {
    token = givenToken;
    user = givenUser;
    expect(await attempt(bearer(`sk-goodkey${suffix}`))).toEqual(refused);
  }
});

test("a token found expired is marked, one that never expires is not", async () => {
  token = { expiredTime: nowSeconds };
  await attempt(bearer("sk-goodkey"));
  token = { expiredTime: nowSeconds, status: 3 };
  await attempt(bearer("sk-goodkey"));
  token = { expiredTime: nowSeconds + 1 };
  expect(await attempt(bearer("sk-goodkey"))).toHaveProperty("token");

  expect(marked).toEqual([[70, 3]]);
});

test("a replaced key is refused from its end on, before anything else is said of the token", async () => {
  token = { keyEndsAt: nowSeconds, status: 2 };
  const refused: [number, string] = [401, "该密钥已被新密钥取代，请改用新密钥"];
  expect(await attempt(bearer("sk-goodkey"))).toEqual(refused);
  token = { keyEndsAt: nowSeconds + 1 };
  expect(await attempt(bearer("sk-goodkey"))).toHaveProperty("token");
});

test("administrators may name a channel in the key, even one that cannot exist", async () => {
  user = { role: 10 };
  expect(await attempt(bearer("sk-goodkey-12"))).toMatchObject({ pinnedChannelId: 12 });
  expect(await attempt(bearer("sk-goodkey-12abc"))).toMatchObject({ pinnedChannelId: -1 });
  expect(await attempt(bearer("sk-goodkey-"))).toMatchObject({ pinnedChannelId: -1 });
});

test("guessing keys is limited per address, and valid keys from that address keep working", async () => {
  for (let count = 0; count < 60; count += 1) {
    expect(await attempt(bearer(`sk-guess${count}`))).toEqual([401, "无效的令牌"]);
  }
  expect(await attempt(bearer("sk-guess60"))).toEqual([429, "无效令牌的请求次数过多，请稍后再试"]);
  expect(await attempt(bearer("sk-goodkey"))).toHaveProperty("token");
  expect(await attempt(bearer("sk-guess61"), undefined, "198.51.100.1")).toEqual([
    401,
    "无效的令牌",
  ]);
});

test("a key of which only a hash was imported is found at its first call, and stored with it", async () => {
  expect(await attempt(bearer("sk-team-key_1"))).toMatchObject({
    token: { id: 72 },
    pinnedChannelId: null,
  });
  expect(adopted).toEqual([[72, "team-key_1"]]);
  expect(hashes).toBe(1);

  // The hash itself is no key: whoever has read it in the other gateway's database cannot call.
  expect(await attempt(bearer("other hash of team-key_1"))).toEqual([401, "无效的令牌"]);
  token = { status: 2 };
  expect(await attempt(bearer("sk-team-key_1"))).toMatchObject([401, expect.any(String)]);
  expect(adopted).toHaveLength(1);
});

test("an unknown key costs one hash more, and a known one none", async () => {
  await attempt(bearer("sk-goodkey"));
  await attempt(bearer("sk-my-key-5"));
  expect(hashes).toBe(0);
  await attempt(bearer("sk-nobodys"));
  expect(hashes).toBe(1);
  expect(adopted).toEqual([]);
});

test("a user who is being moved here is asked to come again, and one who is disabled is not", async () => {
  user = { status: -1 };
  expect(await attempt(bearer("sk-goodkey"))).toMatchObject([503, expect.any(String)]);
  user = { status: 2 };
  expect(await attempt(bearer("sk-goodkey"))).toMatchObject([403, expect.any(String)]);
});
