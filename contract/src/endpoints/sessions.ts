/** The caller's sessions. Ending one signs that browser out at its next call. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";

const whole = z.number().int();

export const session = z.object({
  /** Identifies the session in these calls only; nobody can sign in with it. */
  id: z.string(),
  /**
   * When the person last signed in or proved a second factor, in Unix seconds, as are all times of
   * a session.
   */
  created_at: whole,
  /** Time of the session's last call, to the minute. */
  seen_at: whole,
  expires_at: whole,
  client_ip: z.string(),
  /** The browser's User-Agent; empty: it sent none. */
  user_agent: z.string(),
  /** Whether this is the session of the calling browser. */
  current: z.boolean(),
});
export type Session = z.infer<typeof session>;

/** Lists the caller's sessions, the one with the latest call first. */
export const listSessions = endpoint({
  method: "GET",
  path: "/api/user/sessions",
  access: "user",
  input: z.object({}),
  output: z.array(session),
});

/** Ends one of the caller's sessions, which may be that of this call. */
export const endSession = endpoint({
  method: "DELETE",
  path: "/api/user/sessions/:id",
  access: "user",
  input: z.object({ id: z.string().regex(/^[0-9a-f]{16}$/, "无效的参数") }),
  output: z.void(),
});

/** Ends all sessions but that of this call, and answers with their number. */
export const endOtherSessions = endpoint({
  method: "DELETE",
  path: "/api/user/sessions",
  access: "user",
  input: z.object({}),
  output: whole,
});
