/** The console API of tokens. */

import {
  type PageInput,
  type PageWindow,
  readPageWindow,
  readPageWindowFromZero,
} from "@tollgate/contract/endpoints/page.ts";
import { endOldKey, rotateToken } from "@tollgate/contract/endpoints/token-rotation.ts";
import * as contract from "@tollgate/contract/endpoints/tokens.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import type { z } from "zod";
import { unixSeconds } from "#base/clock.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Caller, type Handler, handle, reply, withExtras } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import type { Ports } from "#modules/module.ts";
import type { Options } from "#modules/options/options.ts";
import { storedSettings } from "./setting-columns.ts";
import { anyToken, type Owner, type TokenFilter } from "./tokens.repo.ts";
import { openNewKeys, refuseUnusable, type TokenInput } from "./new-keys.ts";
import type { By } from "./token-changes.ts";
import type { TokenStore } from "./tokens.store.ts";
import { bareKey, keyColumns, looksLikeKey, sealContext, tokenKeyKind } from "./tokens.ts";

type TokenDeps = {
  readonly store: TokenStore;
  readonly money: Money;
  readonly secrets: Secrets;
  readonly limits: RateLimits;
  readonly judgeKey: Ports["judgeKey"];
  readonly readOption: Options["read"];
  /** Whether `group` exists and a user of group `ownGroup` may use it. */
  readonly isUsableGroup: (ownGroup: string, group: string) => boolean;
  /** Returns a new key: 48 letters and digits, 285 random bits. */
  readonly newKey: () => string;
  /** Resolves when the written changes are in effect on this node. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const revealRule: RateRule = { name: "token-reveal", windowMs: 60_000, max: 60 };
const batchRevealRule: RateRule = { name: "token-reveal-batch", windowMs: 60_000, max: 10 };

/** Limits an endpoint to the caller's own tokens. */
const own = ({ userId }: Caller): Owner => userId;
/** Lets an endpoint that only root may call see all users' tokens. */
const anybodys = (): Owner => null;
/** Lets root see all users' tokens, and other callers their own. */
const visible = (caller: Caller): Owner => (caller.role === role.enum.root ? null : caller.userId);

export function tokenHandlers(deps: TokenDeps): Handler[] {
  return [
    ...listHandlers(deps),
    ...changeHandlers(deps),
    ...keyHandlers(deps),
    ...statusHandlers(deps),
    ...batchHandlers(deps),
  ];
}

/**
 * Adds to tokens what is spent of their budgets, leaves out old keys that have ended, and names the
 * status that the next call would find. Reads the database only for tokens with budgets.
 */
async function present(
  { store, readOption, now }: TokenDeps,
  tokens: readonly contract.Token[],
): Promise<contract.Token[]> {
  const at = unixSeconds(now());
  const budgeted = tokens.flatMap(
    ({ id, budget_day: day, budget_week: week, budget_month: month }) =>
      day + week + month === 0 ? [] : [{ id, limits: { day, week, month } }],
  );
  const zone = readOption("TimeZone");
  const states = budgeted.length === 0 ? [] : await store.readBudgetStates(budgeted, { zone, at });
  const byId = new Map(budgeted.map(({ id }, index) => [id, states[index] ?? []]));
  return tokens.map((token) => ({
    ...token,
    ...(token.old_key_ends_at > at ? {} : { old_key: "", old_key_ends_at: 0 }),
    status: presentStatus(token, at),
    budgets: byId.get(token.id) ?? [],
  }));
}

/**
 * The status of an enabled token whose time or quota is over: calls are refused from then on, but
 * the stored status changes only with the first of them. A token that never had any quota is not
 * used up.
 */
function presentStatus(token: contract.Token, at: number): contract.TokenStatus {
  const { enabled, expired, exhausted } = contract.tokenStatus.enum;
  if (token.status !== enabled) return token.status;
  if (token.expired_time !== -1 && token.expired_time <= at) return expired;
  const isUsedUp = !token.unlimited_quota && token.remain_quota <= 0 && token.used_quota > 0;
  return isUsedUp ? exhausted : enabled;
}

async function presentOne(deps: TokenDeps, token: contract.Token): Promise<contract.Token> {
  const [shown = token] = await present(deps, [token]);
  return shown;
}

function listHandlers(deps: TokenDeps): Handler[] {
  const { store, secrets, judgeKey } = deps;
  const filterOf = (keyword: string, sent: string, username = ""): TokenFilter => {
    const shown = bareKey(sent);
    return {
      keyword,
      username,
      shown,
      lookup: looksLikeKey(shown) ? secrets.lookup(tokenKeyKind, shown) : "",
    };
  };
  const answer = async (owner: Owner, filter: TokenFilter, window: PageWindow) => {
    const { items, total } = await store.pageTokens(owner, filter, window);
    return withExtras(await present(deps, items), { total });
  };
  const read = async (id: number, owner: Owner) =>
    await presentOne(deps, await store.readToken(id, owner));
  return [
    handle(contract.listTokens, (input, caller) =>
      answer(own(caller), anyToken, readPageWindowFromZero(input)),
    ),

    handle(contract.searchTokens, ({ keyword, token, ...input }, caller) =>
      answer(own(caller), filterOf(keyword, token), searchWindowOf(input)),
    ),

    handle(contract.queryTokens, (input, caller) =>
      answer(visible(caller), anyToken, windowOf(input)),
    ),

    handle(contract.searchAllTokens, ({ keyword, token, username, ...input }, caller) =>
      answer(visible(caller), filterOf(keyword, token, username), searchWindowOf(input)),
    ),

    handle(contract.readToken, ({ id }, caller) => read(id, own(caller))),

    handle(contract.readAnyToken, ({ id }) => read(id, anybodys())),

    handle(contract.readTokenUsage, async (_, { tokenKey = "", clientIp }) => {
      const { id, name, modelLimits, ...token } = await judgeKey(tokenKey, clientIp);
      const { remain_quota, used_quota, budgets } = await read(id, anybodys());
      const usage = {
        object: "token_usage" as const,
        name,
        total_granted: remain_quota + used_quota,
        total_used: used_quota,
        total_available: remain_quota,
        unlimited_quota: token.unlimitedQuota,
        model_limits: Object.fromEntries(
          [...(modelLimits ?? [])].map((model) => [model, true as const]),
        ),
        model_limits_enabled: modelLimits !== null,
        expires_at: Math.max(0, token.expiredTime),
        key_ends_at: token.keyEndsAt,
        budgets,
      };
      return reply(usage, { message: "ok" });
    }),
  ];
}

type WindowInput = PageInput & { readonly page?: number | undefined };

/**
 * Returns the page that a search request asks for; if it asks for none, the first one with the
 * largest page size.
 */
function searchWindowOf(input: WindowInput): PageWindow {
  const isPaged = Object.values(input).some((value) => value !== undefined);
  return isPaged ? windowOf(input) : { page: 1, page_size: contract.tokenSearchMax };
}

/**
 * Returns the page that a request asks for, counted from 0 in the field `p` and from 1 in the field
 * `page`.
 */
function windowOf({ page, ...input }: WindowInput): PageWindow {
  return page === undefined ? readPageWindowFromZero(input) : readPageWindow({ ...input, p: page });
}

function changeHandlers(deps: TokenDeps): Handler[] {
  const { store, now, applyChanges } = deps;
  const remove = async (id: number, by: By): Promise<void> => {
    await store.removeToken(id, by);
    await applyChanges();
  };
  return [
    handle(contract.createToken, (input, caller) => create(deps, input, caller)),

    handle(contract.updateToken, (input, caller) => update(deps, input, byOf(caller, own, now()))),

    handle(contract.updateAnyToken, (input, caller) =>
      update(deps, input, byOf(caller, anybodys, now())),
    ),

    handle(contract.removeToken, ({ id }, caller) => remove(id, byOf(caller, own, now()))),

    handle(contract.removeAnyToken, ({ id }, caller) => remove(id, byOf(caller, anybodys, now()))),
  ];
}

/** Reading, replacing and ending keys. */
function keyHandlers(deps: TokenDeps): Handler[] {
  const { store, secrets, now, applyChanges } = deps;
  return [
    handle(contract.revealToken, async ({ id }, caller) => {
      await takeOrRefuse(deps, revealRule, caller);
      const found = await store.revealToken(id, byOf(caller, visible, now()));
      if (found.sealed === "") throw unknownKey();
      return { key: secrets.open(sealContext(found.user_id), found.sealed) };
    }),

    handle(rotateToken, async ({ id, old_key_seconds: oldKeySeconds }, caller) => {
      await takeOrRefuse(deps, revealRule, caller);
      const by = byOf(caller, visible, now());
      const { user_id } = await store.readToken(id, by.owner);
      const key = deps.newKey();
      const token = await store.rotateToken(
        { id, oldKeySeconds, ...keyColumns(deps.secrets, user_id, key) },
        by,
      );
      await applyChanges();
      return { ...(await presentOne(deps, token)), key };
    }),

    handle(endOldKey, async ({ id }, caller) => {
      const token = await store.endOldKey(id, byOf(caller, visible, now()));
      await applyChanges();
      return await presentOne(deps, token);
    }),
  ];
}

/** Refuses to show a key of which only a hash was imported. */
function unknownKey(): Refusal {
  return new Refusal("not-allowed", "导入时只有密钥的哈希，首次使用后才能显示");
}

function batchHandlers(deps: TokenDeps): Handler[] {
  const { store, secrets, now, applyChanges } = deps;
  const setStatuses = async (ids: readonly number[], status: contract.TokenStatus, by: By) => {
    const results = await store.setStatuses(ids, status, by);
    await applyChanges();
    return results;
  };
  const remove = async (ids: readonly number[], by: By): Promise<number> => {
    const removed = await store.removeTokens(ids, by);
    await applyChanges();
    return removed;
  };
  return [
    handle(contract.removeTokens, ({ ids }, caller) => remove(ids, byOf(caller, own, now()))),

    handle(contract.removeAnyTokens, ({ ids }, caller) =>
      remove(ids, byOf(caller, anybodys, now())),
    ),

    handle(contract.updateTokenStatuses, ({ ids, status }, caller) =>
      setStatuses(ids, status, byOf(caller, own, now())),
    ),

    handle(contract.updateAnyTokenStatuses, ({ ids, status }, caller) =>
      setStatuses(ids, status, byOf(caller, anybodys, now())),
    ),

    handle(contract.revealTokens, async ({ ids }, caller) => {
      await takeOrRefuse(deps, batchRevealRule, caller);
      await takeEach(deps, revealRule, caller, new Set(ids).size);
      const found = await store.revealTokens(ids, byOf(caller, visible, now()));
      if (found.some(({ sealed }) => sealed === "")) throw unknownKey();
      return found.map(({ id, name, user_id, sealed }) => {
        return { id, name, key: secrets.open(sealContext(user_id), sealed) };
      });
    }),
  ];
}

async function takeOrRefuse({ limits }: TokenDeps, rule: RateRule, caller: Caller): Promise<void> {
  const { allowed, retryAfterMs } = await limits.take(rule, String(caller.userId));
  if (allowed) return;
  throw new Refusal("rate-limited", "请求次数过多，请稍后再试！", { retryAfterMs });
}

/**
 * Takes `count` hits of a rate limit. If the limit does not allow all of them, takes none and
 * refuses.
 */
async function takeEach(
  deps: TokenDeps,
  rule: RateRule,
  caller: Caller,
  count: number,
): Promise<void> {
  if (count > rule.max) {
    const minutes = Math.round(rule.windowMs / 60_000);
    const most = `${minutes} 分钟内最多查看 ${rule.max} 个令牌的密钥，请减少选择`;
    throw new Refusal("invalid-input", most);
  }
  let taken = 0;
  try {
    for (; taken < count; taken += 1) await takeOrRefuse(deps, rule, caller);
  } catch (error) {
    for (; taken > 0; taken -= 1) await deps.limits.giveBack(rule, String(caller.userId));
    throw error;
  }
}

function statusHandlers(deps: TokenDeps): Handler[] {
  const { store, now, applyChanges } = deps;
  const setStatus = async (id: number, status: contract.TokenStatus, by: By) => {
    const token = await store.setStatus(id, status, by);
    await applyChanges();
    return await presentOne(deps, token);
  };
  return [
    handle(contract.updateTokenStatus, ({ id, status }, caller) =>
      setStatus(id, status, byOf(caller, own, now())),
    ),

    handle(contract.updateAnyTokenStatus, ({ id, status }, caller) =>
      setStatus(id, status, byOf(caller, anybodys, now())),
    ),
  ];
}

function byOf(caller: Caller, ownerOf: (caller: Caller) => Owner, nowMs: number): By {
  return { actor: actorOf(caller), owner: ownerOf(caller), nowMs };
}

async function create(deps: TokenDeps, input: TokenInput, caller: Caller): Promise<contract.Token> {
  const { store, money, now } = deps;
  const { key, token: planned } = await openNewKeys(deps)(input, caller.userId);
  const token = await store.createToken(planned, byOf(caller, own, now()));
  money.openedToken(token.id, token.remain_quota);
  await deps.applyChanges();
  return { ...(await presentOne(deps, token)), key };
}

type Edit = z.output<(typeof contract.updateToken)["input"]>;

async function update(deps: TokenDeps, input: Edit, by: By): Promise<contract.Token> {
  const { store, money, applyChanges } = deps;
  if (input.name === "") throw new Refusal("invalid-input", "令牌名称不能为空", { field: "name" });
  const before = await store.readToken(input.id, by.owner);
  if (input.group !== undefined && input.group !== before.group) {
    refuseUnusable(deps, await store.readOwnerGroup(before.user_id), input.group);
  }
  const { delta, granted } = grantChange(before, input);
  const edit = { id: input.id, settings: storedSettings(input), delta, granted };
  const token = await money.moveToken(input.id, delta, () => store.updateToken(edit, by));
  await applyChanges();
  return await presentOne(deps, token);
}

/**
 * Computes the change of the quota that a token is granted, from the remaining quota that a console
 * sends. If the console also sends the `used_quota` that it read, quota that was used since then
 * still counts as used.
 */
function grantChange(
  before: contract.Token,
  { remain_quota, used_quota }: Pick<Edit, "remain_quota" | "used_quota">,
): { readonly delta: number; readonly granted: number | null } {
  if (remain_quota === undefined) return { delta: 0, granted: null };
  if (used_quota === undefined) return { delta: remain_quota - before.remain_quota, granted: null };
  const granted = before.remain_quota + before.used_quota;
  return { delta: remain_quota + used_quota - granted, granted };
}
