/**
 * Calls that visitors make on the home page of a server that was started with `--demo`, and the
 * rows that these calls leave in the usage log. They are charged to an account of the demo's own.
 * Without `--demo` none of these addresses exists.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { ownLog } from "./logs.ts";
import { readLogCharge } from "./log-charges.ts";
import { shortUser } from "./users.ts";

/**
 * The path of a visitor's call, a POST of `demoQuestion` as JSON. It answers as a chat call does:
 * with the stream of an answer, or with an error. The answer's `X-Request-Id` finds its row.
 */
export const demoCallPath = "/api/demo/call";

/** The model that a visitor's call goes to. */
export const demoModel = "demo-chat";

/** The demo's model whose calls all fail, for trying out errors. */
export const failingDemoModel = "demo-error";

/** The longest question of a visitor, in characters. */
export const demoQuestionMax = 200;

export const demoQuestion = z.object({
  content: z.string().trim().min(1).max(demoQuestionMax),
});

/** The most output tokens of a visitor's call. */
export const demoOutputMax = 100;

/** The number of rows that `listDemoCalls` answers with. */
export const demoCallsMax = 12;

/** A row of the demo account, without what only the account's owner needs. */
const demoCall = ownLog.pick({
  id: true,
  created_at: true,
  model_name: true,
  group: true,
  quota: true,
  prompt_tokens: true,
  completion_tokens: true,
  use_time: true,
  is_stream: true,
  request_id: true,
});
export type DemoCall = z.infer<typeof demoCall>;

/**
 * Lets a visitor look around as root: a session that reads everything of the demo, but for who other
 * visitors are and where they come from, and changes nothing. Only where the demo itself has made
 * root, and root still has the demo's password.
 */
export const startDemoTour = endpoint({
  method: "POST",
  path: "/api/demo/tour",
  access: "public",
  input: z.object({}),
  output: shortUser,
});

/**
 * The last charged calls of the demo account, newest first. While somebody reads them, the demo
 * makes a call itself every few seconds.
 */
export const listDemoCalls = endpoint({
  method: "GET",
  path: "/api/demo/calls",
  access: "public",
  input: z.object({}),
  output: z.array(demoCall),
});

/**
 * Reads the row of the call with this `X-Request-Id`, and what its charge was computed from. A
 * charged call has its row before the last byte of its answer.
 */
export const readDemoCall = endpoint({
  method: "GET",
  path: "/api/demo/calls/:request_id",
  access: "public",
  input: z.object({ request_id: z.string().regex(/^\d{17}[A-Za-z0-9]{16}$/, "无效的参数") }),
  output: demoCall.extend({ charge: readLogCharge.output }),
});
