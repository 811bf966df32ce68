/** What the methods of signing in share: the last step, the bot check, requests to other servers. */

import type { SignInAnswer } from "@tollgate/contract/sign-in-answer.ts";
import { role, userStatus } from "@tollgate/contract/users.ts";
import { type Caller, type Reply, reply } from "#http/handler.ts";
import type { OptionTrial } from "#modules/options/options.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import { type Sessions, signedIn } from "#modules/sessions/sessions.ts";

/** What other modules may use of this one. */
export type SignIn = {
  readonly enter: Enter;
  readonly checkBot: BotCheck;
  readonly callOutside: CallOutside;
  /**
   * Tries out a change of the bot check.
   *
   * @throws Refusal `invalid-input` for a change that would let nobody sign in.
   */
  readonly probeOption: (trial: OptionTrial) => Promise<void>;
};

/**
 * The last step of every method of signing in, once the user is known: starts a session, or asks
 * for the second factor.
 */
export type Enter = (user: EnabledUser, caller: Caller) => Promise<Reply<SignInAnswer, undefined>>;

/**
 * Resolves for a caller that passed the bot check, and at once where root has not turned it on.
 *
 * @throws Refusal `not-allowed`.
 */
export type BotCheck = (token: string, clientIp: string) => Promise<void>;

export type OutsideRequest = {
  readonly url: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Posted as a form. Without `form` and `json` the request is a GET. */
  readonly form?: Readonly<Record<string, string>>;
  /** Posted as JSON. */
  readonly json?: object;
};

/**
 * A request to an identity provider or to the bot check. Undefined: the answer did not come whole,
 * small and in time. Redirects are not followed.
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
  /** 0 or 1. */
  readonly password_expired: number;
};

export function openEnter(deps: {
  readonly sessions: Sessions;
  readonly secondFactor: Pick<SecondFactor, "ask">;
}): Enter {
  return async (user, caller) => {
    const { id, username, display_name, group } = user;
    const needed = await deps.secondFactor.ask(id);
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
    return reply(data, { setCookie: await deps.sessions.start(data, caller, signedIn) });
  };
}
