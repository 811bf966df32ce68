/** The interface that each notification way implements to send a notice. */

import type { NoticeWay } from "@tollgate/contract/kinds/notice-ways.ts";
import type { ValuesOf } from "@tollgate/contract/kinds/kinds.ts";
import type { Mail } from "#modules/mail/mail.ts";
import type { Notice, Outbound } from "#modules/notifications/notifications.ts";

export type SenderPorts = {
  readonly mail: Mail;
  /** Sends requests, but refuses every address that is not public. */
  readonly outbound: Outbound;
  /** Option `SystemName`. */
  readonly systemName: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** The notice that is sent, and what a sender needs to know about its receiver. */
export type Delivery = {
  readonly notice: Notice;
  /** The e-mail address of the account; empty: it has none. */
  readonly accountEmail: string;
};

export type SendResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /**
       * The cause for the log: a code of lower-case letters, digits and `-`, or the message of the
       * mail module.
       */
      readonly reason: string;
      /**
       * The message for the user, if this notification way has a better one than the general
       * message for the reason.
       */
      readonly message?: string;
    };

/**
 * Sends a notice by one notification way. Does not throw if the receiver's server or the mail
 * server is at fault, but returns the reason.
 */
export type Sender<Way extends NoticeWay> = (
  settings: ValuesOf<Way["fields"]>,
  delivery: Delivery,
  ports: SenderPorts,
) => Promise<SendResult>;

/** Returns the content of a notice in which each `{{value}}` is replaced by its value. */
export function filledContent({ content, values }: Notice): string {
  let next = 0;
  return content.replaceAll("{{value}}", () => values[next++] ?? "");
}
