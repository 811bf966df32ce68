/** Every way to an account besides signing in by name and password. */

import { randomInt } from "node:crypto";
import { mailCodeLength } from "@tollgate/contract/registration.ts";
import { randomText } from "#base/secrets.ts";
import type { SessionCookie } from "#http/cookie.ts";
import type { Handler } from "#http/handler.ts";
import type { Mail } from "#modules/mail/mail.ts";
import { mailHandlers } from "#modules/mail/mail.handlers.ts";
import type { OptionTrial } from "#modules/options/options.ts";
import { type BotCheck, openBotCheck, probeBotCheck } from "#modules/sign-in/bot-check.ts";
import { identityHandlers } from "#modules/sign-in/identities.handlers.ts";
import {
  type CallOutside,
  type OutsideAddresses,
  outsideAddresses,
} from "#modules/sign-in/methods/outside.ts";
import { openNewAccounts } from "#modules/sign-in/new-accounts.ts";
import { registrationHandlers } from "#modules/sign-in/registration.handlers.ts";
import type { Passwords, Sessions } from "#modules/sign-in/sign-in.ts";
import type { ConsoleParts } from "./console-handlers.ts";

export type WaysIn = {
  readonly handlers: readonly Handler[];
  readonly checkBot: BotCheck;
  /** Throws a refusal where an option's value would make the bot check let nobody through. */
  readonly probeOption: (trial: OptionTrial) => Promise<void>;
};

export type WaysInParts = Pick<
  ConsoleParts,
  "applyChanges" | "limits" | "log" | "money" | "options" | "secrets"
> & {
  readonly stores: Pick<ConsoleParts["stores"], "identities" | "registration">;
  readonly mail: Mail;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly browserCookie: SessionCookie;
  readonly callOutside: CallOutside;
  /** Where this machine reaches the server, for as long as root has not said where others do. */
  readonly localAddress: string;
  readonly newAffCode: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Absent: the providers' own. */
  readonly addresses?: OutsideAddresses;
};

/** Letters and digits, 5.95 bits each: 256, 190, 190 and 131 bits. */
const browserIdLength = 43;
const linkTokenLength = 32;
const passwordLength = 32;
const stateLength = 22;

export function openWaysIn(parts: WaysInParts): WaysIn {
  const { stores, options, mail, now, callOutside, addresses = outsideAddresses } = parts;
  const readOption = options.read;
  const accounts = openNewAccounts({ readOption, newAffCode: parts.newAffCode, now });
  const checkBot = openBotCheck({ readOption, callOutside, addresses, now });
  const ownAddress = (): string => readOption("ServerAddress") || parts.localAddress;
  const shared = { ...parts, readOption, accounts, ownAddress };
  return {
    checkBot,
    probeOption: async (trial) =>
      await probeBotCheck({ readOption, callOutside, addresses }, trial),
    handlers: [
      ...mailHandlers({ mail, readOption, limits: parts.limits }),
      ...registrationHandlers({
        ...shared,
        store: stores.registration,
        checkBot,
        newCode: () => String(randomInt(10 ** mailCodeLength)).padStart(mailCodeLength, "0"),
        newLinkToken: () => randomText(linkTokenLength),
        newPassword: () => randomText(passwordLength),
      }),
      ...identityHandlers({
        ...shared,
        store: stores.identities,
        addresses,
        newBrowserId: () => randomText(browserIdLength),
        newState: () => randomText(stateLength),
      }),
    ],
  };
}
