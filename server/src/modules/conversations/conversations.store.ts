/** Reads conversations, and keeps the links to them. */

import {
  type Conversation,
  type ConversationLink,
  linksMax,
  type SharedConversation,
} from "@tollgate/contract/endpoints/conversations.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { Refusal } from "#base/refusal.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { toldTurns, withoutNames } from "./conversations.ts";
import * as repo from "./conversations.repo.ts";

/** @param userId whose conversations may be read; null: everybody's. */
async function readConversation(
  db: Db,
  id: number,
  userId: number | null,
): Promise<Conversation | null> {
  const rows = await repo.listTurns(db, id, userId);
  const [newest] = rows;
  if (newest === undefined) return null;
  const ids = userId === null ? [...new Set(rows.map(({ channel }) => channel))] : [];
  const told = toldTurns(rows, await repo.namesOfChannels(db, ids));
  const turns = userId === null ? told.turns : told.turns.map((turn) => ({ ...turn, channel: 0 }));
  return { ...told, turns, conversation_id: id, username: userId === null ? newest.username : "" };
}

/** What a link leads to. */
type Shared = SharedConversation & { readonly expires_at: number };

async function findShared(db: Db, lookup: string, nowMs: number): Promise<Shared | null> {
  const link = await repo.findLink(db, lookup, unixSeconds(nowMs));
  if (link === undefined) return null;
  // Who is no administrator any more shares nothing of others any more.
  const owner = link.role >= role.enum.admin ? null : link.user_id;
  const rows = await repo.listTurns(db, link.conversation_id, owner);
  if (rows.length === 0) return null;
  return { ...withoutNames(toldTurns(rows, new Map())), expires_at: link.expires_at };
}

async function listLinks(
  db: Db,
  userId: number,
  conversationId: number,
  nowMs: number,
): Promise<ConversationLink[]> {
  return await repo.listLinks(db, userId, conversationId, unixSeconds(nowMs));
}

type NewLink = {
  readonly actor: Actor;
  readonly conversationId: number;
  /** Whose conversations may be shared; null: everybody's. */
  readonly owner: number | null;
  readonly lookup: string;
  readonly seconds: number;
  readonly nowMs: number;
};

/** @returns null: there is no such conversation. */
async function addLink(
  tx: Db,
  { actor, conversationId, owner, lookup, seconds, nowMs }: NewLink,
): Promise<ConversationLink | null> {
  if (!(await repo.hasTurns(tx, conversationId, owner))) return null;
  const now = unixSeconds(nowMs);
  if ((await repo.tidyLinks(tx, actor.userId, now)) >= linksMax) {
    throw new Refusal("not-allowed", `最多只能有 ${linksMax} 个有效链接`);
  }
  const times = { created_at: now, expires_at: now + seconds };
  const link = { conversation_id: conversationId, user_id: actor.userId, lookup, ...times };
  const id = await repo.insertLink(tx, link);
  const detail = { link: id, expires_at: times.expires_at };
  const target = `conversation:${conversationId}`;
  await appendAudit(tx, { actor, action: "conversation.share", target, detail, nowMs });
  return { id, ...times };
}

/** @returns whether the caller had such a link. */
async function removeLink(
  tx: Db,
  { actor, id, nowMs }: { readonly actor: Actor; readonly id: number; readonly nowMs: number },
): Promise<boolean> {
  const removed = await repo.deleteLink(tx, id, actor.userId);
  if (removed === undefined) return false;
  const target = `conversation:${removed.conversation_id}`;
  await appendAudit(tx, {
    actor,
    action: "conversation.unshare",
    target,
    detail: { link: id },
    nowMs,
  });
  return true;
}

export const conversationStore = defineStore({
  reads: { findShared, listLinks, readConversation },
  writes: { addLink, removeLink },
});

export type ConversationStore = RemoteStore<typeof conversationStore>;
