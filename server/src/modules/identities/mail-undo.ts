/**
 * Guards changes of a user's e-mail address. A session is not enough for a change, because a
 * password can be reset through the address: the user must prove to own the account, and the old
 * address is mailed a link that undoes the change.
 */

import type { Logger } from "#base/logger.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Caller } from "#http/handler.ts";
import { type Mail, writeMail } from "#modules/mail/mail.ts";
import { type SentCode, sentCode } from "#modules/mail-codes/mail-codes.ts";
import type { Options } from "#modules/options/options.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import type { IdentityStore } from "./identities.store.ts";
import { type MailUndo, undoLastsMs } from "./mail-undo.repo.ts";

/** A change of an e-mail address that the user was allowed to make, and what undoes it. */
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
   * Mails the old address that it was changed, with the link that undoes the change. Never rejects,
   * because the change has already been made.
   */
  tell(change: ProvenChange, caller: Caller): Promise<void>;
};

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
  return {
    async prove(caller, password) {
      const address = await store.readAddress(caller.userId);
      if (address === "") return null;
      await secondFactor.proveOwner(caller, password);
      const token = deps.newLinkToken();
      const code = sentCode(secrets, undoPlace(caller.userId, address), token);
      return { token, kept: { address, code: { ...code, expiresAt: deps.now() + undoLastsMs } } };
    },

    async tell({ kept: { address }, token }, { userId, username, language = "", requestId }) {
      if (!mail.isSetUp()) return;
      const query = `user=${userId}&email=${encodeURIComponent(address)}&token=${token}`;
      const values = {
        system: deps.readOption("SystemName"),
        username,
        link: `${deps.ownAddress()}/user/email/undo?${query}`,
        hours: String(undoLastsMs / 3_600_000),
      };
      try {
        await mail.send({ to: address, ...writeMail("addressChanged", language, values) });
      } catch (error) {
        log.warn({ err: error, requestId, userId }, "the old address was not told of its change");
      }
    },
  };
}
