import type { SignInAnswer } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import { login } from "@tollgate/contract/endpoints/sign-in.ts";
import { call } from "#api/call.ts";
import { keepSession } from "#api/session.ts";

type Credentials = { readonly username: string; readonly password: string };

/** `turnstile` is the bot-check token; empty if no check is required. */
type Checked = { readonly turnstile: string };

/** Signs in by username and password. The answer may ask for the second factor instead. */
export async function signIn(typed: Credentials & Checked): Promise<SignInAnswer> {
  const { username, password, turnstile } = typed;
  return kept(await call(login, { username, password, turnstile }));
}

/** Stores the user of a completed sign-in, because each later call sends the user's id. */
export function kept(answer: SignInAnswer): SignInAnswer {
  if (!("require_2fa" in answer)) keepSession(answer);
  return answer;
}
