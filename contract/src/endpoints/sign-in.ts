/** Signing in and out, and the access token that programs call the console API with. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { signInAnswer } from "./sign-in-answer.ts";

const required = (max: number) =>
  z.string("无效的参数").min(1, "无效的参数").max(max, "无效的参数");

/** The token that the bot check gave to the page; empty: none. */
export const botCheckToken = z
  .string("无效的参数")
  .max(4_096, "无效的参数")
  .nullish()
  .transform((sent) => sent ?? "");

/**
 * Signs in with a password. `username` may also be the bound e-mail address. Sets the session
 * cookie, unless a second factor is needed.
 */
export const login = endpoint({
  method: "POST",
  path: "/api/user/login",
  access: "public",
  input: z.object({
    username: required(300),
    password: required(1_000),
    turnstile: botCheckToken,
  }),
  inQuery: ["turnstile"],
  output: signInAnswer,
});

/** Ends the caller's session; a call without a session does nothing. */
export const logout = endpoint({
  method: "GET",
  path: "/api/user/logout",
  access: "public",
  whilePasswordExpired: () => true,
  changesState: true,
  byCookieAlone: true,
  alias: "POST",
  input: z.object({}),
  output: z.void(),
});

/**
 * Creates the caller's access token, which replaces the previous one; no later call answers with
 * it.
 */
export const createAccessToken = endpoint({
  method: "GET",
  path: "/api/user/token",
  access: "user",
  changesState: true,
  alias: "POST",
  // A fresh second factor is needed, because the access token then acts for its owner without
  // asking for one.
  stepUp: () => true,
  input: z.object({}),
  output: z.string(),
});
