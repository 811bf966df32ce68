/**
 * Guards changes of a user's e-mail address and of the identities that sign in. A session is not
 * enough for a change, because a password can be reset through the address, and an identity opens
 * the account for good: the user must prove to own the account, and the address is mailed a link
 * that undoes the change.
 */

import type { Logger } from "#base/logger.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Caller } from "#http/handler.ts";
import { type Mail, writeMail } from "#modules/mail/mail.ts";
import type { Options } from "#modules/options/options.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import type { IdentityStore } from "./identities.store.ts";
import { type SentCode, sentCode } from "./mail-codes.ts";
import { type MailUndo, undoLastsMs } from "./mail-undo.repo.ts";

/** A change that the user was allowed to make, and what undoes it. */
type ProvenChange = {
  readonly kept: MailUndo;
  /** The secret part of the link that undoes the change. It is only mailed, never stored. */
  readonly token: string;
};

export type AddressGuard = {
  /**
   * Checks that the caller may change or remove the account's e-mail address.
   *
   * @returns what undoes the change; null if there is no address yet, which needs no proof.
   * @throws Refusal as `SecondFactor.proveOwner` does.
   */
  prove(caller: Caller, password: string): Promise<ProvenChange | null>;
  /**
   * Checks that the caller may bind an identity to the account, with an address or without.
   *
   * @throws Refusal as `SecondFactor.proveOwner` does.
   */
  proveOwner(caller: Caller, password: string): Promise<void>;
  /** Returns what undoes a change that begins now; null if there is no address to mail it to. */
  undoOf(caller: Caller): Promise<ProvenChange | null>;
  /**
   * Mails the address what was changed, with the link that undoes it. Never rejects, because the
   * change has already been made.
   *
   * @param identity the identity that was bound; absent: the address was changed.
   */
  tell(change: ProvenChange, caller: Caller, identity?: BoundIdentity): Promise<void>;
};

/** An identity that was bound: the provider's name, and the name of the account there. */
type BoundIdentity = { readonly title: string; readonly shownAs: string };

type GuardDeps = {
  readonly store: Pick<IdentityStore, "readAddress">;
  readonly secondFactor: Pick<SecondFactor, "proveOwner">;
  readonly mail: Mail;
  readonly readOption: Options["read"];
  readonly secrets: Secrets;
  /** Returns the secret part of a link: 190 random bits in letters and digits. */
  readonly newLinkToken: () => string;
  /** Public address of this server, without a trailing slash. */
  readonly ownAddress: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

export function undoPlace(userId: number, address: string): Pick<SentCode, "address" | "purpose"> {
  return { purpose: `undo:${userId}`, address };
}

export function openAddressGuard(deps: GuardDeps): AddressGuard {
  const { store, secondFactor, mail, secrets, log } = deps;
  const changeAt = (address: string, userId: number): ProvenChange => {
    const token = deps.newLinkToken();
    const code = sentCode(secrets, undoPlace(userId, address), token);
    return { token, kept: { address, code: { ...code, expiresAt: deps.now() + undoLastsMs } } };
  };
  return {
    async prove(caller, password) {
      const address = await store.readAddress(caller.userId);
      if (address === "") return null;
      await secondFactor.proveOwner(caller, password);
      return changeAt(address, caller.userId);
    },

    proveOwner: async (caller, password) => await secondFactor.proveOwner(caller, password),

    async undoOf({ userId }) {
      const address = await store.readAddress(userId);
      return address === "" ? null : changeAt(address, userId);
    },

    async tell({ kept: { address }, token }, caller, identity) {
      const { userId, username, language = "", requestId } = caller;
      if (!mail.isSetUp()) return;
      const query = `user=${userId}&email=${encodeURIComponent(address)}&token=${token}`;
      const values = {
        system: deps.readOption("SystemName"),
        username,
        link: `${deps.ownAddress()}/user/email/undo?${query}`,
        hours: String(undoLastsMs / 3_600_000),
      };
      const letter =
        identity === undefined
          ? writeMail("addressChanged", language, values)
          : writeMail("identityBound", language, {
              ...values,
              provider: identity.title.trim(),
              account: identity.shownAs,
            });
      try {
        await mail.send({ to: address, ...letter });
      } catch (error) {
        log.warn({ err: error, requestId, userId }, "the address was not told of a change");
      }
    },
  };
}
