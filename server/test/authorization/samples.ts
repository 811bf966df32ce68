/** What to send to each route so that callers with the right succeed, about things of the owner. */

import { Secret, TOTP } from "otpauth";
import { rootUser } from "#test/gateway.ts";
import {
  addUser,
  type CallerName,
  ownersNames,
  password,
  type People,
  signIn,
  signInRoot,
} from "./callers.ts";
import { moneySamples } from "./money-samples.ts";
import { organisationSamples } from "./organisation-samples.ts";
import { relaySamples } from "./relay-samples.ts";
import { type Answer, dataOf, type Headers, type Send } from "./send.ts";
import { another, roots, spare } from "./spares.ts";

export type Sample = {
  /** The value for the parameter in the route's path. */
  readonly id?: number | string;
  readonly query?: string;
  readonly body?: object;
  /** A text that the answer contains only if the caller saw the owner's things. */
  readonly mark?: string;
  /**
   * True: any answer of the handler counts as success, because the result depends on timing or on
   * outside servers.
   */
  readonly reached?: true;
  /**
   * The `data` of an answer that succeeded without doing anything for this caller; such an answer
   * counts as `x`.
   */
  readonly nothing?: unknown;
  /**
   * Headers to call with instead of the caller's, where the call would end the caller's session or
   * account.
   */
  readonly as?: Headers;
  readonly after?: (answer: Answer) => Promise<void> | void;
};

export type Place = {
  readonly people: People;
  readonly send: Send;
  readonly model: string;
  readonly channelId: number;
  readonly demoUrl: string;
  /** Id of the log row of a call that the owner has made. */
  readonly logId: number;
  /** The conversation of that call. */
  readonly conversationId: number;
};

/** Makes the sample of a row anew for each cell, since some rows use up what they change. */
export type Make = (place: Place, caller: CallerName) => Sample | Promise<Sample>;

const own = { mark: ownersNames.token };
const ownToken: Make = async (place, caller) => ({ id: await aTokenFor(place, caller) });
const ownTokens: Make = async (place, caller) => ({
  body: { ids: [await aTokenFor(place, caller)] },
  nothing: 0,
});
const tokenEdit: Make = async (place, caller) => ({
  body: { id: await aTokenFor(place, caller), name: "edited" },
});
const tokenSwitch: Make = async (place, caller) => ({
  body: { id: await aTokenFor(place, caller), status: 2 },
});
const theChannel: Make = ({ channelId }) => ({ id: channelId });
const aChannel: Make = async (place, caller) => ({ id: await aChannelFor(place, caller) });
const someChannels: Make = async (place, caller) => ({
  body: { ids: [await aChannelFor(place, caller)], status: 1, tag: "t" },
});
const aTag = async (place: Place, caller: CallerName): Promise<Sample> => {
  await aChannelFor(place, caller, { tag: "tagged" });
  return { body: { tag: "tagged", weight: 1 } };
};
const channelFields = (place: Place) => ({
  name: "made",
  type: 1,
  key: "sk-upstream-0002",
  models: "matrix-made",
  group: "default",
  base_url: place.demoUrl,
});
const account = ({ people }: Place): Sample => ({
  id: people.owner.id,
  mark: people.owner.username,
});
const manage = (id: number, action: string): Sample => ({ body: { id, action } });

export const samples: Readonly<Record<string, Make>> = {
  ...relaySamples,
  ...moneySamples,
  ...organisationSamples,
  "DELETE /api/channel/:id": aChannel,
  "DELETE /api/channel/disabled": async (place, caller) => {
    await aChannelFor(place, caller, { status: 2 });
    return { nothing: 0 };
  },
  "DELETE /api/conversation/link/:id": async ({ conversationId, people, send }) => {
    const path = `/api/conversation/${conversationId}/links`;
    const made = await send(people.callers.owner, "POST", path, { days: 1 });
    return { id: dataOf<{ id: number }>(made).id };
  },
  "DELETE /api/log/": () => ({ query: "target_timestamp=1" }),
  "DELETE /api/token/:id": ownToken,
  "DELETE /api/token/new/:id": ownToken,
  "DELETE /api/user/:id": async (place, caller) => ({ id: await aUserFor(place, caller) }),
  "DELETE /api/user/:id (an admin)": async (place, caller) => ({
    id: await anAdminFor(place, caller),
  }),
  "DELETE /api/user/:id (root)": ({ people }) => ({ id: people.rootId }),
  "DELETE /api/user/:id/2fa": async (place, caller) => ({ id: await aUserFor(place, caller) }),
  "DELETE /api/user/:id/2fa (an admin)": async (place, caller) => ({
    id: await anAdminFor(place, caller),
  }),
  "DELETE /api/user/:id/2fa (root)": (place, caller) => ({
    id: place.people.rootId,
    after: async () => await signRootInAgain(place, caller),
  }),
  "DELETE /api/user/self": async (place, caller) => await another(place, caller),
  "DELETE /api/user/sessions": async (place, caller) => ({
    ...(await another(place, caller, spare)),
    after: async () => await signRootInAgain(place, caller),
  }),
  "DELETE /api/user/sessions/:id": async (place, caller) => ({
    id: await aSessionFor(place, caller),
  }),
  "GET /api/channel/": () => ({ query: "page_size=100", mark: ownersNames.channel }),
  "GET /api/channel/:id": theChannel,
  "GET /api/channel/:id/costs": theChannel,
  "POST /api/view/": () => ({
    body: { list: "logs", name: "mine", search: { type: "5" }, columns: null },
  }),
  "PUT /api/channel/:id/costs": ({ channelId }) => ({ id: channelId, body: { models: {} } }),
  "GET /api/channel/:id/costs/versions": theChannel,
  "GET /api/channel/:id/standing": theChannel,
  "GET /api/channel/fetch_models/:id": theChannel,
  "GET+POST /api/channel/new/search": () => ({ mark: ownersNames.channel, body: {} }),
  "GET+POST /api/channel/search": () => ({ mark: ownersNames.channel, body: {} }),
  "GET /api/conversation/:id": ({ conversationId }) => ({ id: conversationId }),
  "GET /api/conversation/:id/links": ({ conversationId }) => ({ id: conversationId }),
  // One event, which has no envelope.
  "GET /api/live/stream": () => ({ query: "seconds=0", reached: true }),
  "GET /api/log/": () => own,
  "GET /api/log/charge/:id": ({ logId }) => ({ id: logId }),
  "GET /api/log/extend/:id": ({ logId }) => ({ id: logId }),
  "GET /api/log/export": () => ({ reached: true }),
  "GET /api/log/facet": () => ({ query: "facet=model" }),
  "GET /api/log/receipt/:id": ({ logId }) => ({ id: logId }),
  "GET /api/log/self/": () => own,
  "GET /api/log/self/export": () => ({ reached: true }),
  "GET /api/log/self/facet": () => ({ query: "facet=model" }),
  "GET /api/margins/call/:id": ({ logId }) => ({ id: logId }),
  "GET /api/token/": () => ({ query: "size=100", ...own }),
  "GET /api/token/:id": ({ people }) => ({ id: people.tokenId, ...own }),
  "GET /api/token/new/:id": ({ people }) => ({ id: people.tokenId, ...own }),
  "GET /api/token/newSearch": () => ({ query: `keyword=${ownersNames.token}`, ...own }),
  "GET /api/token/query": () => ({ query: "page_size=100", ...own }),
  "GET /api/token/search": () => ({ query: `keyword=${ownersNames.token}`, ...own }),
  "GET /api/user/": ({ people }) => ({ query: "page_size=100", mark: people.owner.username }),
  "GET /api/user/:id": account,
  "GET /api/user/:id (an admin)": ({ people }) => ({ id: people.admin.id }),
  "GET /api/user/:id/entries": ({ people }) => ({ id: people.owner.id, mark: '"kind"' }),
  "GET /api/user/:id/entries (an admin)": ({ people }) => ({ id: people.admin.id, mark: '"kind"' }),
  "GET /api/user/query": ({ people }) => ({
    query: `keyword=${people.owner.username}`,
    mark: people.owner.username,
  }),
  "GET /api/user/search": ({ people }) => ({
    query: `keyword=${people.owner.username}`,
    mark: people.owner.username,
  }),
  // A document without an envelope, which says nothing of success.
  "GET /api/openapi.json": () => ({ reached: true }),
  "GET /api/user/self": ({ people }) => ({ mark: people.owner.username }),
  "GET+POST /api/channel/test": () => ({ reached: true }),
  "GET+POST /api/channel/test/:id": theChannel,
  "GET+POST /api/channel/update_balance": () => ({ reached: true }),
  "GET+POST /api/channel/update_balance/:id": ({ channelId }) => ({ id: channelId, reached: true }),
  "GET /api/view/": () => ({ query: "list=logs" }),
  "GET+POST /api/log/new/": () => ({ ...own, body: {} }),
  "GET+POST /api/log/new/facet": () => ({ query: "facet=model", body: { facet: "model" } }),
  "GET+POST /api/log/token (by its key)": ({ people }) => ({
    query: `key=${people.tokenKey}`,
    body: { key: people.tokenKey },
    ...own,
  }),
  "GET+POST /api/user/logout": async (place, caller) => await another(place, caller, spare),
  "GET+POST /api/user/token": async (place, caller) => ({
    ...(await another(place, caller, spare)),
    after(answer) {
      if (!roots.includes(caller)) return;
      place.people.callers["root's access token"] = {
        authorization: dataOf<string>(answer),
        "new-api-user": String(place.people.rootId),
      };
    },
  }),
  "POST /api/channel/": (place) => ({ body: channelFields(place) }),
  "POST /api/channel/batch": someChannels,
  "POST /api/channel/batch/status": someChannels,
  "POST /api/channel/batch/tag": someChannels,
  "POST /api/channel/fetch_models": (place) => ({ body: channelFields(place) }),
  "POST /api/channel/keys/known": () => ({ body: { keys: ["sk-nobody-has-it"] } }),
  "POST /api/channel/rounds/stop": () => ({ body: { round: "tests" } }),
  "POST /api/channel/tag/disabled": aTag,
  "POST /api/channel/tag/enabled": aTag,
  "POST /api/channel/try": (place) => ({ body: { ...channelFields(place), model: place.model } }),
  "POST /api/configuration/apply": () => ({ body: { document: {} } }),
  "POST /api/configuration/plan": () => ({ body: { document: {} } }),
  "POST /api/conversation/:id/links": ({ conversationId }) => ({
    id: conversationId,
    body: { days: 1 },
  }),
  "POST /api/conversation/shared": () => ({ body: { secret: "nobody's" } }),
  "POST /api/live/stop": () => ({
    body: { request_ids: ["nobody's"] },
    nothing: { stopped: 0, silent: [] },
  }),
  "POST /api/log/clean": () => ({ body: { target_timestamp: 1 } }),
  "POST /api/prices/apply": () => ({ body: { entries: [{ model: "given away", free: true }] } }),
  "POST /api/prices/proposals": () => ({ body: { channel_type: 1, models: ["gpt-4o"] } }),
  "POST /api/token/": () => ({ body: { name: "made", unlimited_quota: true } }),
  "POST /api/token/:id/key": ({ people }) => ({ id: people.tokenId }),
  "POST /api/token/:id/old-key/end": ownToken,
  "POST /api/token/:id/rotate": async (place, caller) => ({
    id: await aTokenFor(place, caller),
    body: { old_key_seconds: 60 },
  }),
  "POST /api/token/batch": ownTokens,
  "POST /api/token/batch/keys": ({ people }) => ({ body: { ids: [people.tokenId] }, nothing: [] }),
  "POST /api/token/batch/status": async (place, caller) => {
    const id = await aTokenFor(place, caller);
    return { body: { ids: [id], status: 2 }, mark: `"id":${id},"success":true` };
  },
  "POST /api/token/new/batch": ownTokens,
  "POST /api/token/new/batch/status": async (place, caller) => {
    const id = await aTokenFor(place, caller);
    return { body: { ids: [id], status: 2 }, mark: `"id":${id},"success":true` };
  },
  "POST /api/user/": (_, caller) => ({
    body: {
      username: crypto.randomUUID().slice(0, 12),
      // Hashing is slow, so only callers who may create a user send a valid password.
      password: rulers.includes(caller) ? "a long enough password" : "short",
    },
  }),
  "POST /api/user/2fa/enable": async (place, caller) => {
    const { as } = await another(place, caller);
    // Root cannot enable a second factor here, because the later rows would ask root for it.
    if (as === undefined || roots.includes(caller)) return { body: { code: "no code" } };
    const made = await place.send(as, "POST", "/api/user/2fa/setup", { password });
    const { secret } = dataOf<{ secret: string }>(made);
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    return { as, body: { code }, mark: "recovery_codes" };
  },
  "POST /api/user/2fa/setup": (_, caller) => ({
    body: { password: roots.includes(caller) ? rootUser.password : password },
    mark: "otpauth://",
  }),
  "POST /api/user/batch/group": ({ people }) => ({
    body: { ids: [people.owner.id], group: "default" },
    mark: `"id":${people.owner.id},"success":true`,
  }),
  "POST /api/user/batch/status": ({ people }) => ({
    body: { ids: [people.owner.id], status: 1 },
    mark: `"id":${people.owner.id},"success":true`,
  }),
  "POST /api/user/batch/status (an admin)": ({ people }) => ({
    body: { ids: [people.admin.id], status: 1 },
    mark: `"id":${people.admin.id},"success":true`,
  }),
  "POST /api/user/manage (disable)": ({ people }) => manage(people.owner.id, "enable"),
  "POST /api/user/manage (disable an admin)": ({ people }) => manage(people.admin.id, "enable"),
  "POST /api/user/manage (disable root)": ({ people }) => manage(people.rootId, "disable"),
  "POST /api/user/manage (promote)": async (place, caller) =>
    manage(await aUserFor(place, caller), "promote"),
  // Any answer counts: no mail server is set up, so no test notice can be sent.
  "POST /api/user/setting/test": () => ({ reached: true }),
  // Goes back to the version in force, which changes nothing for the rows below.
  "POST /api/prices/versions/rollback": async ({ people, send }) => {
    const answer = await send(people.callers.root, "GET", "/api/prices/versions");
    const { items } = dataOf<{ items: { id: number }[] }>(answer);
    return { body: { id: items[0]?.id } };
  },
  "PUT /api/channel/": ({ channelId }) => ({ body: { id: channelId, name: ownersNames.channel } }),
  "PUT /api/channel/tag": aTag,
  "PUT /api/option/": () => ({ body: { key: "About", value: "us" } }),
  "PUT /api/prices/": () => ({ body: { changes: { CacheRatio: { "gpt-4o": "0.5" } } } }),
  "PUT /api/token/": tokenEdit,
  "PUT /api/token/?status_only": tokenSwitch,
  "PUT /api/token/new/": tokenEdit,
  "PUT /api/token/new/?status_only": tokenSwitch,
  "PUT /api/user/": ({ people }) => ({ body: { id: people.owner.id, display_name: "edited" } }),
  "PUT /api/user/ (an admin)": ({ people }) => ({
    body: { id: people.admin.id, display_name: "edited" },
  }),
  "POST /api/route/explain": () => ({ body: { model: "demo-fast" } }),
  "PUT /api/setup/checklist": () => ({ body: { name: "mail", marked: true } }),
  "PUT /api/user/checklist": () => ({ body: { name: "dismissed", marked: true } }),
  "PUT /api/user/setting": () => ({
    body: { notify_type: "email", quota_warning_threshold: 1_000 },
  }),
  "PUT /api/user/self": () => ({ body: { display_name: "edited" } }),
};

const rulers: readonly CallerName[] = [
  "admin",
  "other admin",
  "root",
  "admin's access token",
  "root's access token",
];

/**
 * The id of a user to delete or promote: a new user if the caller has the right to do it, else the
 * owner, whom the refused call leaves alone.
 */
async function aUserFor({ people, send }: Place, caller: CallerName): Promise<number> {
  if (!rulers.includes(caller)) return people.owner.id;
  return (await addUser(send, people.callers.root, 1)).id;
}

/** Signs root in again after its sessions ended: unlike other callers, root exists once. */
async function signRootInAgain({ people, send }: Place, caller: CallerName): Promise<void> {
  if (roots.includes(caller)) people.callers.root = (await signInRoot(send)).headers;
}

/**
 * Returns the id of the admin that a sample deletes or demotes. If the caller may do that, a new
 * admin is created, because the call succeeds; otherwise the call is refused, and the shared one is
 * enough.
 */
async function anAdminFor({ people, send }: Place, caller: CallerName): Promise<number> {
  if (!roots.includes(caller)) return people.admin.id;
  return (await addUser(send, people.callers.root, 10)).id;
}

/**
 * The id of a token to change: a new token if the caller has the right to change it, else the one
 * that the owner uses.
 */
async function aTokenFor({ people, send }: Place, caller: CallerName): Promise<number> {
  if (![...roots, "owner", "owner's access token"].includes(caller)) return people.tokenId;
  const body = { name: "used up", remain_quota: 0, expired_time: -1, unlimited_quota: true };
  const made = await send(people.callers.owner, "POST", "/api/token/", body);
  return dataOf<{ id: number }>(made).id;
}

/** The id of a session to end: a new session if the caller is the owner, else the one in use. */
async function aSessionFor({ people, send }: Place, caller: CallerName): Promise<string> {
  const isOwner = caller === "owner" || caller === "owner's access token";
  const { headers } = isOwner ? await signIn(send, people.owner.username) : people.owner;
  const listed = await send(headers, "GET", "/api/user/sessions");
  const sessions = dataOf<{ id: string; current: boolean }[]>(listed);
  return sessions.find(({ current }) => current)?.id ?? "";
}

async function aChannelFor(place: Place, caller: CallerName, fields = {}): Promise<number> {
  const { people, send } = place;
  if (!rulers.includes(caller)) return place.channelId;
  const body = { ...channelFields(place), ...fields };
  const made = await send(people.callers.root, "POST", "/api/channel/", body);
  return dataOf<number[]>(made)[0] ?? 0;
}
