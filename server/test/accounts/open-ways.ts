/**
 * The ways to an account besides a password, over a test's database: letters are kept instead of
 * sent, and providers are whatever the test puts at their addresses.
 */

import { options as definitions, type StoredOptionName } from "@tollgate/contract/options.ts";
import { judgeAddress, openAddressPolicy } from "#base/address-policy.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { bindStore } from "#db/store.ts";
import { openBrowserCookie } from "#http/cookie.ts";
import type { Letter, Mail } from "#modules/mail/mail.ts";
import { openOptions, type Options, storedText } from "#modules/options/options.ts";
import { identityStore } from "#modules/sign-in/identities.store.ts";
import type { OutsideAddresses } from "#modules/sign-in/methods/outside.ts";
import { registrationStore } from "#modules/sign-in/registration.store.ts";
import { openAddressBook } from "#network/address-book.ts";
import { openTicker } from "#network/ticker.ts";
import { openTransport } from "#network/transport.ts";
import { openOutsideCalls } from "#outside-calls.ts";
import { openWaysIn, type WaysIn, type WaysInParts } from "#ways-in.ts";

type Sent = Partial<Record<StoredOptionName, string>>;

export type TestWays = WaysIn & {
  readonly options: Options;
  /** Puts values in force, as root's settings would; all others have their defaults again. */
  setOptions(set: Sent): void;
  /** Letters as they would have gone out, oldest first. */
  readonly letters: Letter[];
  readonly mail: Mail;
  /** Where providers are; changed by tests. */
  readonly addresses: { -readonly [Name in keyof OutsideAddresses]: OutsideAddresses[Name] };
};

type Given = Pick<
  WaysInParts,
  | "applyChanges"
  | "limits"
  | "log"
  | "money"
  | "newAffCode"
  | "now"
  | "passwords"
  | "secrets"
  | "sessions"
> & { readonly db: Db };

export function openTestWays({ db, ...given }: Given): TestWays {
  const { options, setOptions } = openSettings(given.secrets);
  const letters: Letter[] = [];
  const mail: Mail = {
    isSetUp: () => options.read("SMTPServer") !== "",
    send: async (letter) => void letters.push(letter),
  };
  const nowhere = "http://127.0.0.1:1/";
  const addresses = {
    gitHubToken: nowhere,
    gitHubUser: nowhere,
    linuxDoToken: nowhere,
    linuxDoUser: nowhere,
    turnstile: nowhere,
  };
  const stores = {
    identities: bindStore(identityStore, db),
    registration: bindStore(registrationStore, db),
  };
  const ways = openWaysIn({
    ...given,
    stores,
    options,
    mail,
    browserCookie: openBrowserCookie(true),
    callOutside: openOutsideCalls(openLocalTransport()),
    localAddress: "http://localhost:3000",
    addresses,
  });
  return { ...ways, options, setOptions, letters, mail, addresses };
}

function openSettings(secrets: Secrets) {
  const options = openOptions(secrets, (key, reason) => {
    throw new Error(`${key}: ${reason}`);
  });
  const setOptions = (set: Sent): void =>
    options.refresh(
      Object.entries(set).map(([key, text]) => {
        // The parameter's type has no other keys.
        const name = key as StoredOptionName;
        return { key, value: storedText(definitions[name], key, text, secrets) };
      }),
    );
  return { options, setOptions };
}

function openLocalTransport() {
  const policy = openAddressPolicy({ privateRanges: [], loopback: true });
  const addresses = openAddressBook({
    allows: (address) => judgeAddress(address, policy),
    resolve: async () => [],
    nowMs: () => performance.now(),
  });
  return openTransport({ addresses, ticker: openTicker(() => performance.now()) });
}
