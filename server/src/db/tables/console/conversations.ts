import type { Generated } from "kysely";

/** Links by which anybody sees the figures of a conversation. Written by `modules/conversations` only. */
export type ConversationLinkTable = {
  id: Generated<number>;
  /** As in log rows. */
  conversation_id: number;
  /** Who has made it. */
  user_id: number;
  /** Keyed hash of its secret; unique. */
  lookup: string;
  /** Unix seconds. */
  created_at: number;
  expires_at: number;
};
