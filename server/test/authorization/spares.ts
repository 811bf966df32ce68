/** Sessions and accounts that calls of the matrix may end. */

import {
  type Account,
  addAccessToken,
  addAccount,
  type CallerName,
  type People,
  signIn,
  signInRoot,
} from "./callers.ts";
import type { Headers, Send } from "./send.ts";

type Scene = { readonly people: People; readonly send: Send };

/** Makes an account of a role, or finds one, and signs it in. */
type Openers = (place: Scene, role: number) => Promise<Headers>;

/** Makes a new account, which the call may end. Its passwords take long to hash. */
const fresh: Openers = async ({ people, send }, role) =>
  (await addAccount(send, people.callers.root, role)).headers;

const spares = new WeakMap<People, Map<number, Promise<Account>>>();

/** Opens a session, which the call may end, of an account that serves all such calls. */
export const spare: Openers = async ({ people, send }, role) => {
  const ofRoles = spares.get(people) ?? new Map<number, Promise<Account>>();
  spares.set(people, ofRoles);
  const account = ofRoles.get(role) ?? addAccount(send, people.callers.root, role);
  ofRoles.set(role, account);
  return (await signIn(send, (await account).username)).headers;
};

/** Returns an account of the caller's kind, whose session or account the call may end. */
export async function another(
  place: Scene,
  caller: CallerName,
  open = fresh,
): Promise<{ readonly as?: Headers }> {
  const { send } = place;
  switch (caller) {
    case "owner":
    case "other user":
      return { as: await open(place, 1) };
    case "admin":
    case "other admin":
      return { as: await open(place, 10) };
    case "root":
      return { as: (await signInRoot(send)).headers };
    case "owner's access token":
      return { as: await addAccessToken(send, await open(place, 1)) };
    case "admin's access token":
      return { as: await addAccessToken(send, await open(place, 10)) };
    default:
      return {};
  }
}

export const roots: readonly CallerName[] = ["root", "root's access token"];
