/**
 * Conversations: the calls of one mark, or of one beginning, as a whole. Times are Unix seconds, quota
 * is whole quota units.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id } from "@tollgate/contract/fields/fields.ts";

const whole = z.number().int();

/** The most turns of a conversation that are listed, and the most that are summed: the newest. */
export const turnsListedMax = 500;
export const turnsSummedMax = 5_000;

/** For how many days a link may lead to a conversation. */
export const linkDaysMax = 30;

/** The most links of one user that lead to something at a time. */
export const linksMax = 100;

/** A turn, without anything that says whose it is. */
const sharedTurn = z.object({
  /** When it began. */
  started_at: whole,
  /** Whole seconds that it took, and milliseconds until its first byte; null: there was none. */
  seconds: whole,
  first_byte_ms: whole.nullable(),
  model_name: z.string(),
  /** What it was charged, after refunds and re-rates. */
  quota: whole,
  prompt_tokens: whole,
  cached_tokens: whole,
  completion_tokens: whole,
  /** How it was placed, and what it cost more because of that, as log rows have it. */
  placement: z.string(),
  moved_quota: whole,
  failed: z.boolean(),
});
export type SharedTurn = z.infer<typeof sharedTurn>;

const turn = sharedTurn.extend({
  /** The id of its log row. */
  id: whole,
  request_id: z.string(),
  token_name: z.string(),
  /** The tools that its answer called, as far as the next turn says so; each once. */
  tools: z.array(z.string()),
  /** What users are told of a failure; empty: it has not failed. */
  error: z.string(),
  /** 0, and the name empty, for users, who are not shown channels. */
  channel: whole,
  channel_name: z.string(),
});
export type ConversationTurn = z.infer<typeof turn>;

const sums = z.object({
  calls: whole,
  failures: whole,
  quota: whole,
  prompt_tokens: whole,
  cached_tokens: whole,
  completion_tokens: whole,
  /** What its turns would have cost more without a cache. */
  saved_quota: whole,
  moved_quota: whole,
  first_at: whole,
  last_at: whole,
});

const sharedConversation = z.object({
  sums,
  /** Whether there are more turns than are summed. */
  is_cut: z.boolean(),
  /** The newest turns, oldest first. */
  turns: z.array(sharedTurn),
});
export type SharedConversation = z.infer<typeof sharedConversation>;

const conversation = sharedConversation.extend({
  conversation_id: whole,
  /** Empty for users themselves. */
  username: z.string(),
  turns: z.array(turn),
});
export type Conversation = z.infer<typeof conversation>;

/** Reads a conversation by the id that log rows have. Users may read their own, admins all. */
export const readConversation = endpoint({
  method: "GET",
  path: "/api/conversation/:id",
  access: "user",
  input: z.object({ id }),
  output: conversation,
});

const link = z.object({
  id: whole,
  created_at: whole,
  expires_at: whole,
});
export type ConversationLink = z.infer<typeof link>;

/** Lists the links to a conversation that the caller has made and that have not expired. */
export const listConversationLinks = endpoint({
  method: "GET",
  path: "/api/conversation/:id/links",
  access: "user",
  input: z.object({ id }),
  output: z.array(link),
});

/**
 * Makes a link by which anybody sees the figures of a conversation: no names and no texts. The secret
 * of the link is told once. Audited.
 */
export const createConversationLink = endpoint({
  method: "POST",
  path: "/api/conversation/:id/links",
  access: "user",
  input: z.object({ id, days: z.number().int().min(1).max(linkDaysMax) }),
  output: link.extend({ secret: z.string() }),
});

/** Ends a link. Audited. */
export const removeConversationLink = endpoint({
  method: "DELETE",
  path: "/api/conversation/link/:id",
  access: "user",
  input: z.object({ id }),
  output: z.null(),
});

/** Reads the conversation to which a link leads; it is a POST, so that the secret is in no address. */
export const readSharedConversation = endpoint({
  method: "POST",
  path: "/api/conversation/shared",
  access: "public",
  input: z.object({ secret: z.string().max(200) }),
  output: sharedConversation.extend({ expires_at: whole }),
});
