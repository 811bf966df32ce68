/** Where the caller is signed in. Ending a session signs that browser out at its next call. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";

const whole = z.number().int();

export const session = z.object({
  /** Names it in these calls only; nobody can sign in by it. */
  id: z.string(),
  /** Unix seconds, as are the others: when the person last proved who it is. */
  created_at: whole,
  /** Its last call, to the minute. */
  seen_at: whole,
  expires_at: whole,
  client_ip: z.string(),
  /** How the browser named itself; empty: not at all. */
  user_agent: z.string(),
  /** The one this call came by. */
  current: z.boolean(),
});
export type Session = z.infer<typeof session>;

/** The caller's own, latest call first. */
export const listSessions = endpoint({
  method: "GET",
  path: "/api/user/sessions",
  access: "user",
  input: z.object({}),
  output: z.array(session),
});

/** Also the one this call came by. */
export const endSession = endpoint({
  method: "DELETE",
  path: "/api/user/sessions/:id",
  access: "user",
  input: z.object({ id: z.string().regex(/^[0-9a-f]{16}$/, "无效的参数") }),
  output: z.void(),
});

/** All but the one this call came by; answers how many there were. */
export const endOtherSessions = endpoint({
  method: "DELETE",
  path: "/api/user/sessions",
  access: "user",
  input: z.object({}),
  output: whole,
});
