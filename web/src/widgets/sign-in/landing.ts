import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { takeReturnAddress } from "./return-address.ts";

/**
 * The address to open after a sign-in: the screen that the user was sent away from; otherwise, for
 * root, the start page as long as it has steps left; otherwise the list of tokens.
 */
export async function landingAddress(user: ShortUser): Promise<string> {
  if (user.role >= role.enum.root) return await welcomeAddress(user);
  return takeReturnAddress(user.id) ?? "/token";
}

/**
 * The address to open after the registration of an account: the screen that the user was sent away
 * from; otherwise the start page, as long as it has steps for this user; otherwise the list of
 * tokens.
 */
export async function welcomeAddress(user: ShortUser): Promise<string> {
  const kept = takeReturnAddress(user.id);
  if (kept !== null) return kept;
  try {
    const { hasStepsLeft } = await import("#widgets/start/checklists.ts");
    return (await hasStepsLeft(user)) ? "/start" : "/token";
  } catch {
    // A registration does not fail because the start page's state could not be read.
    return "/token";
  }
}
