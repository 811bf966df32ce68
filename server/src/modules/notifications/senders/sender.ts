/** The interface that each notification way implements to send a notice. */

import type { NoticeWay } from "@tollgate/contract/notice-ways.ts";
import type { ValuesOf } from "@tollgate/contract/kinds.ts";
import type { Mail } from "#modules/mail/mail.ts";
import type { Notice, Outbound } from "#modules/notifications/notifications.ts";

export type SenderPorts = {
  readonly mail: Mail;
  /** Refuses every address that is not public. */
  readonly outbound: Outbound;
  /** Option `SystemName`. */
  readonly systemName: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** What is sent, and to whom. */
export type Delivery = {
  readonly notice: Notice;
  /** The e-mail address of the account; empty: it has none. */
  readonly accountEmail: string;
};

export type Sent =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /**
       * For the log: a code of lower-case letters, digits and `-`, or the mail server's message.
       */
      readonly reason: string;
      /** For the user, where the reason needs a message of this notification way. */
      readonly message?: string;
    };

/** Never throws because of a receiver or a mail server. */
export type Sender<Way extends NoticeWay> = (
  settings: ValuesOf<Way["fields"]>,
  delivery: Delivery,
  ports: SenderPorts,
) => Promise<Sent>;

/** The content of a notice with its values filled in. */
export function filledContent({ content, values }: Notice): string {
  let next = 0;
  return content.replaceAll("{{value}}", () => values[next++] ?? "");
}
