/** What all sign-in methods use: the final step, the bot check, and requests to other servers. */

import type { SignInAnswer } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import { role, userStatus } from "@tollgate/contract/endpoints/users.ts";
import { type Caller, type Reply, reply } from "#http/handler.ts";
import type { OptionTrial } from "#modules/options/options.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import { type Sessions, signedIn } from "#modules/sessions/sessions.ts";

/** What the sign-in module offers to other modules. */
export type SignIn = {
  readonly enter: Enter;
  readonly checkBot: BotCheck;
  readonly callOutside: CallOutside;
  /**
   * Tests a change of an option that affects the bot check, before it is saved.
   * @throws Refusal `invalid-input` if nobody could sign in after the change.
   */
  readonly probeOption: (trial: OptionTrial) => Promise<void>;
};

/**
 * The final step of every sign-in method, after the user is identified: starts a session or, if the
 * user has a second factor, asks for it.
 */
export type Enter = (
  user: EnabledUser,
  caller: Caller,
  method?: "password",
) => Promise<Reply<SignInAnswer, undefined>>;

/**
 * Resolves if the token proves that the caller passed the bot check, or if root has not turned the
 * check on.
 * @throws Refusal `not-allowed`.
 */
export type BotCheck = (token: string, clientIp: string) => Promise<void>;

export type OutsideRequest = {
  readonly url: string;
  /** Header names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields that are sent as a form by POST. Without `form` and `json` the request is a GET. */
  readonly form?: Readonly<Record<string, string>>;
  /** Value that is sent as JSON by POST. */
  readonly json?: object;
};

/**
 * Sends a request to an identity provider or to Cloudflare Turnstile. Undefined if the answer was
 * incomplete, too large or too late. Redirects are not followed.
 */
export type CallOutside = (
  request: OutsideRequest,
) => Promise<{ readonly status: number; readonly text: string } | undefined>;

type EnabledUser = {
  readonly id: number;
  readonly username: string;
  readonly display_name: string;
  readonly role: number;
  readonly group: string;
  /** 1: the user must choose another password; 0: the password is valid. */
  readonly password_expired: number;
};

export function openEnter(deps: {
  readonly sessions: Sessions;
  readonly secondFactor: Pick<SecondFactor, "ask">;
}): Enter {
  return async (user, caller, method) => {
    const { id, username, display_name, group } = user;
    const givenPassword = method === "password" && user.password_expired !== 0;
    const needed = await deps.secondFactor.ask(id, givenPassword);
    if (needed !== undefined) return reply(needed, { message: "需要两步验证" });
    const data = {
      id,
      username,
      display_name,
      group,
      role: role.parse(user.role),
      status: userStatus.enum.enabled,
      ...(user.password_expired === 0 ? {} : { password_expired: true as const }),
    };
    return reply(data, {
      setCookie: await deps.sessions.start(data, caller, signedIn, { givenPassword }),
    });
  };
}
