/** Where calls would go, and why not elsewhere. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { modelNameMax } from "./prices.ts";

const whole = z.number().int();

/** The longest mark of a conversation that can be asked about, in characters. */
const sessionMax = 1_000;

/**
 * Why a channel is or is not taken. `place`: the conversation goes there. `used`: a share of calls
 * does. The others are those of a channel's standing; `cannot-carry`: its upstream cannot answer such
 * calls.
 */
const routeReason = z.enum([
  "place",
  "used",
  "reserve",
  "weightless",
  "cooldown",
  "ejected",
  "limit",
  "probing",
  "cannot-carry",
]);

const routeExplained = z.object({
  /** Why such a call is refused; empty: it is not. */
  refused: z.enum(["", "no-channel", "no-group", "no-price"]),
  /** Whether conversations stay at one channel and key. */
  places: z.boolean(),
  /** As log rows have it; 0: the call belongs to none. */
  conversation_id: whole,
  /** In the order in which they are tried. */
  channels: z.array(
    z.object({
      id: whole,
      name: z.string(),
      priority: whole,
      weight: whole,
      reason: routeReason,
      /** The share of first attempts that come to it, between 0 and 1. */
      share: z.number(),
      /** Unix seconds when the block ends; 0: there is none, or its end is not known. */
      until: whole,
      /** How many keys it has, and how many of them take calls of the model now. */
      key_count: whole,
      keys_open: whole,
      /** The key that the conversation uses there, counted from 1; 0: any. */
      key_number: whole,
    }),
  ),
});

/**
 * Says where a call would go that is not made, by the rules that route calls. Health and limits are
 * those of the node that answers.
 */
export const explainRoute = endpoint({
  method: "POST",
  path: "/api/route/explain",
  access: "admin",
  readsOnly: true,
  input: z.object({
    model: z.string().trim().min(1).max(modelNameMax),
    group: z.string().trim().min(1).max(100).default("default"),
    /** The client's wire format. */
    format: z
      .enum(["openai-chat", "openai-responses", "anthropic-messages", "gemini-generate"])
      .default("openai-chat"),
    /** The user whose conversation it is, and the mark by which the client names it. */
    user_id: z.number().int().min(0).default(0),
    session: z.string().max(sessionMax).default(""),
  }),
  output: routeExplained,
});
