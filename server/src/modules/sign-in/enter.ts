/** The last step of every way to sign in, once it is known who it is. */

import type { SignInAnswer } from "@tollgate/contract/sign-in-answer.ts";
import { role, userStatus } from "@tollgate/contract/users.ts";
import { type Caller, type Reply, reply } from "#http/handler.ts";
import { type Sessions, signedIn } from "./sign-in.ts";

/** An enabled user, as the database knows them. */
type Known = {
  readonly id: number;
  readonly username: string;
  readonly display_name: string;
  readonly role: number;
  readonly group: string;
  /** 0 or 1. */
  readonly password_expired: number;
};

export async function enter(
  sessions: Sessions,
  user: Known,
  caller: Caller,
): Promise<Reply<SignInAnswer, undefined>> {
  const { id, username, display_name, group } = user;
  const needed = await sessions.askSecondFactor(id);
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
  return reply(data, { setCookie: await sessions.start(data, caller, signedIn) });
}
