/**
 * Decides whether a caller may make a console call. One-api compatible consoles expect these checks
 * in this order, with these messages. Browsers go to the sign-in page on a 401, so no other refusal
 * has this status.
 */

import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import type { KeptLanguage } from "@tollgate/contract/words/languages.ts";
import { type Role, role } from "@tollgate/contract/endpoints/users.ts";
import { Refusal } from "#base/refusal.ts";
import { isReplyValue } from "./handler.ts";

/** Who makes a call, as far as session cookie or `Authorization` proves it. */
export type Identity =
  /** The request has neither a valid session nor an `Authorization` header. */
  | { readonly kind: "nobody" }
  /** The request has an unknown access token, and no valid session. */
  | { readonly kind: "unknown-token" }
  | KnownIdentity;

export type KnownIdentity = {
  readonly kind: "known";
  readonly userId: number;
  /** The role as stored in the database now, not as in the cookie. */
  readonly role: number;
  readonly username: string;
  /** The user's status; 1: enabled. */
  readonly status: number;
  /** Hash of the session; null: the call came with an access token. */
  readonly sessionId: string | null;
  /** Whether the password has expired. */
  readonly passwordExpired?: boolean;
  /** The language stored with the account. */
  readonly language?: KeptLanguage;
  /** Present: the caller may look at everything of the role and change nothing. */
  readonly onlyReads?: {
    /** Leaves out of an answer what such a caller is not told; `asked` is the input of the call. */
    readonly veil: (answer: unknown, asked: Readonly<Record<string, unknown>>) => unknown;
  };
};

/** A caller whom the guard has let through. */
type Admitted = {
  readonly userId: number;
  readonly role: Role | 0;
  readonly username: string;
  readonly sessionId: string | null;
};

/** A caller who is not signed in. */
export const guest: Admitted = { userId: 0, role: 0, username: "", sessionId: null };

const enabled = 1;

/** The properties of an endpoint that decide who may call it. */
type Guarded = Pick<Endpoint, "access" | "byCookieAlone" | "changesState" | "readsOnly"> & {
  readonly whilePasswordExpired?: unknown;
};

/**
 * Whether a call can change state. Such a call must come from the console's own pages or from a
 * program, not from a page of another origin.
 */
function changesState(endpoint: Guarded, method: string): boolean {
  return method !== "GET" || endpoint.changesState === true;
}

/**
 * Lets a call through, or refuses it.
 *
 * @param ownAddress the server's public address; empty: unknown.
 * @throws Refusal `not-signed-in`, `foreign-origin`, `password-expired`, `only-reads` or
 * `not-allowed`.
 */
export function admit(
  endpoint: Guarded,
  identity: Identity,
  request: Request,
  ownAddress: string,
): Admitted {
  const changing = changesState(endpoint, request.method);
  const admitted =
    endpoint.access === "public"
      ? admitAnyone(identity, request.headers, endpoint)
      : admitKnown(identity, request.headers);
  if (changing && isForeign(request, ownAddress)) {
    throw new Refusal("foreign-origin", "请求来源不被允许");
  }
  if (endpoint.access !== "public" && admitted.role < role.enum[endpoint.access]) {
    throw new Refusal("not-allowed", "无权进行此操作，权限不足");
  }
  if (admitted.userId !== 0 && isBarred(identity, endpoint)) throw passwordExpired();
  if (changing && endpoint.readsOnly !== true && isLooking(identity)) {
    // A visitor who looks around may sign in or up; nothing else that is open to all is root's.
    if (endpoint.access === "public") return guest;
    throw new Refusal("only-reads", "参观演示时只能查看，不能更改任何内容");
  }
  return admitted;
}

function isLooking(identity: Identity): boolean {
  return identity.kind === "known" && identity.onlyReads !== undefined;
}

export function passwordExpired(): Refusal {
  return new Refusal("password-expired", "请先修改密码，再继续使用");
}

/**
 * Whether an expired password forbids this call: only the endpoints needed to change the password
 * may be called.
 */
function isBarred(identity: Identity, { whilePasswordExpired }: Guarded): boolean {
  const isExpired = identity.kind === "known" && identity.passwordExpired === true;
  return isExpired && whilePasswordExpired === undefined;
}

/**
 * Lets a public call through. It is never refused for an expired cookie or for a user-id header;
 * the caller then counts as not signed in. Where the call changes state, the header must name the
 * signed-in user for the call to be that user's.
 */
function admitAnyone(identity: Identity, headers: Headers, endpoint: Guarded): Admitted {
  if (identity.kind !== "known" || identity.status !== enabled) return guest;
  const known = readKnown(identity);
  if (known === undefined || isBarred(identity, endpoint)) return guest;
  if (endpoint.changesState !== true || endpoint.byCookieAlone === true) return known;
  return headers.get("new-api-user") === `${known.userId}` ? known : guest;
}

function admitKnown(identity: Identity, headers: Headers): Admitted {
  if (identity.kind === "nobody") {
    throw new Refusal("not-signed-in", "无权进行此操作，未登录且未提供 access token");
  }
  if (identity.kind === "unknown-token") {
    throw new Refusal("not-allowed", "无权进行此操作，access token 无效");
  }
  const known = readKnown(identity);
  if (known === undefined) throw new Refusal("not-allowed", "无权进行此操作，用户信息无效");
  checkUserIdHeader(known.userId, headers);
  if (identity.status !== enabled) throw new Refusal("not-allowed", "用户已被封禁");
  return known;
}

function readKnown(identity: KnownIdentity): Admitted | undefined {
  const { userId, username, sessionId } = identity;
  const parsed = role.safeParse(identity.role);
  if (!parsed.success || username.trim() === "") return undefined;
  return { userId, username, sessionId, role: parsed.data };
}

/**
 * Requires the header `New-Api-User` to name the signed-in user. A page of another origin cannot
 * send it, and a tab that was opened under another account sends that account's id.
 */
function checkUserIdHeader(userId: number, headers: Headers): void {
  const sent = headers.get("new-api-user");
  if (sent === null || sent === "") {
    throw new Refusal("not-signed-in", "无权进行此操作，未提供 New-Api-User");
  }
  // Only one spelling of each user's id is accepted, because proxies and logs compare the header as
  // text.
  if (!/^(0|-?[1-9]\d{0,15})$/.test(sent)) {
    throw new Refusal("not-signed-in", "无权进行此操作，New-Api-User 格式错误");
  }
  if (Number(sent) !== userId) {
    throw new Refusal("not-signed-in", "无权进行此操作，New-Api-User 与登录用户不匹配");
  }
}

/**
 * Whether a page of another origin made the request. Most browsers send `Sec-Fetch-Site`. Without
 * it, `Origin` must be the address that the request was sent to or the server's public address;
 * behind a proxy these differ. Programs send neither header.
 */
function isForeign(request: Request, ownAddress: string): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin" && site !== "none";
  const origin = request.headers.get("origin");
  if (origin === null) return false;
  const host = hostOf(origin);
  return host === undefined || (host !== hostOf(request.url) && host !== hostOf(ownAddress));
}

function hostOf(address: string): string | undefined {
  return URL.parse(address)?.host;
}

type Input = Readonly<Record<string, unknown>>;

/** Leaves out of what a handler returned what its caller is not told. */
export function veiled(identity: Identity, answered: unknown, asked: Input): unknown {
  const veil = identity.kind === "known" ? identity.onlyReads?.veil : undefined;
  if (veil === undefined) return answered;
  if (!isReplyValue(answered)) return veil(answered, asked);
  const { data, events, extras } = answered;
  if (events !== undefined) return { ...answered, events: veiledEach(events, veil, asked) };
  return { ...answered, data: veil(data, asked), extras: veil(extras, asked) };
}

async function* veiledEach(
  events: AsyncIterable<unknown>,
  veil: (event: unknown, asked: Input) => unknown,
  asked: Input,
) {
  for await (const event of events) yield veil(event, asked);
}
