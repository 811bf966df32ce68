/**
 * The checklists of the console's start page: for root the steps from a new installation to one
 * that earns, for everybody else the steps to a first call.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";

const whole = z.number().int().min(0);

/** Root's steps, in the order in which they are shown. */
export const setupSteps = [
  "provider",
  "prices",
  "token",
  "call",
  "users",
  "address",
  "mail",
  "second_factor",
  "backup",
] as const;
export type SetupStep = (typeof setupSteps)[number];

/**
 * The steps that root can mark by hand: a backup because the server cannot see it, the others
 * because an installation may do without them.
 */
export const markedSteps = ["users", "address", "mail", "second_factor", "backup"] as const;
export type MarkedStep = (typeof markedSteps)[number];

/** Says that its owner does not want to see the start page any more. */
export const dismissedMark = "dismissed";

const setupFacts = z.object({
  /**
   * Enabled channels; how many of them have answered a test or a call; the time of the newest test,
   * in Unix seconds, 0: none; and the id of the first one that has not answered yet, 0: none.
   */
  provider: z.object({ enabled: whole, proven: whole, last_test: whole, unproven_id: whole }),
  /** Models of the enabled channels, and how many of them have no price. */
  prices: z.object({ models: whole, unpriced: whole }),
  /** Root's own tokens, the API keys of calls. */
  token: z.object({ count: whole }),
  /** Charged calls of everybody, and their charges in quota units. */
  call: z.object({ count: whole, quota: whole }),
  /** `quota` is the balance of a new user in quota units. */
  users: z.object({ open: z.boolean(), quota: whole }),
  address: z.object({ server_address: z.string() }),
  mail: z.object({ server: z.string() }),
  second_factor: z.object({ on: z.boolean() }),
  /** The file with the secret key; empty: the key is in the environment. */
  backup: z.object({ dialect: z.enum(["sqlite", "postgres"]), key_file: z.string() }),
});
export type SetupFacts = z.infer<typeof setupFacts>;

export const setupChecklist = z.object({
  dismissed: z.boolean(),
  /** The steps that are done, in order. */
  done: z.array(z.enum(setupSteps)),
  /** When root marked a step by hand, in Unix seconds. */
  marked: z.partialRecord(z.enum(markedSteps), whole),
  facts: setupFacts,
});
export type SetupChecklist = z.infer<typeof setupChecklist>;

/** The state of every step of the installation, from counters and small tables. */
export const readSetupChecklist = endpoint({
  method: "GET",
  path: "/api/setup/checklist",
  access: "root",
  input: z.object({}),
  output: setupChecklist,
});

/** Marks a step by hand, or the whole list as dismissed; or removes the mark. */
export const markSetupChecklist = endpoint({
  method: "PUT",
  path: "/api/setup/checklist",
  access: "root",
  input: z.object({
    name: z.enum([dismissedMark, ...markedSteps], "无效的参数"),
    marked: z.boolean("无效的参数"),
  }),
  output: z.void(),
});

export const userChecklist = z.object({
  dismissed: z.boolean(),
  /** The caller's tokens, the API keys of calls. */
  tokens: whole,
  /** The caller's charged calls. */
  calls: whole,
  /** The quota that the caller may still spend. */
  quota: whole,
});
export type UserChecklist = z.infer<typeof userChecklist>;

/** How far the caller is on the way to a first call. */
export const readUserChecklist = endpoint({
  method: "GET",
  path: "/api/user/checklist",
  access: "user",
  input: z.object({}),
  output: userChecklist,
});

/** Dismisses the caller's start page, or shows it again. */
export const markUserChecklist = endpoint({
  method: "PUT",
  path: "/api/user/checklist",
  access: "user",
  input: z.object({
    name: z.literal(dismissedMark, "无效的参数"),
    marked: z.boolean("无效的参数"),
  }),
  output: z.void(),
});
