import * as contract from "@tollgate/contract/endpoints/conversations.ts";
import { daySeconds } from "@tollgate/contract/fields/time-zone.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { countAttempt } from "#base/attempts.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { Random } from "#base/random.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Caller, type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { ConversationStore } from "./conversations.store.ts";

type ConversationDeps = {
  readonly store: ConversationStore;
  readonly secrets: Secrets;
  readonly random: Random;
  readonly limits: RateLimits;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Letters and digits of a link's secret: 238 random bits. */
const secretLength = 40;

const linkKind = "conversation-link";

/** Limit on the links that may be opened from one client address. */
const openRule: RateRule = { name: "shared-conversation", windowMs: 60_000, max: 60 };

const noConversation = (): Refusal => new Refusal("not-found", "对话不存在");

/** The console API of conversations and of the links to them. */
export function conversationHandlers(deps: ConversationDeps): Handler[] {
  const { store, secrets, random, limits, now } = deps;
  return [
    handle(contract.readConversation, async ({ id }, caller) => {
      const found = await store.readConversation(id, ownerFor(caller));
      if (found === null) throw noConversation();
      return found;
    }),

    handle(
      contract.listConversationLinks,
      async ({ id }, { userId }) => await store.listLinks(userId, id, now()),
    ),

    handle(contract.createConversationLink, async ({ id, days }, caller) => {
      const secret = random.text(secretLength);
      const link = await store.addLink({
        actor: actorOf(caller),
        conversationId: id,
        owner: ownerFor(caller),
        lookup: secrets.lookup(linkKind, secret),
        seconds: days * daySeconds,
        nowMs: now(),
      });
      if (link === null) throw noConversation();
      return { ...link, secret };
    }),

    handle(contract.removeConversationLink, async ({ id }, caller) => {
      const removed = await store.removeLink({ actor: actorOf(caller), id, nowMs: now() });
      if (!removed) throw new Refusal("not-found", "链接不存在");
      return null;
    }),

    handle(contract.readSharedConversation, async ({ secret }, { clientIp }) => {
      await countAttempt(limits, [[openRule, addressBlock(clientIp)]], "操作过于频繁，请稍后再试");
      const found = await store.findShared(secrets.lookup(linkKind, secret), now());
      if (found === null) throw new Refusal("not-found", "链接不存在或已过期");
      return found;
    }),
  ];
}

/** Whose conversations a caller may read; null: everybody's. */
function ownerFor(caller: Caller): number | null {
  return caller.role >= role.enum.admin ? null : caller.userId;
}
