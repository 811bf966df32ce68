/**
 * Sends e-mails through the mail server that the options name, over one connection for each e-mail.
 */

import { isIP } from "node:net";
import type { Logger } from "#base/logger.ts";
import { Refusal } from "#base/refusal.ts";
import type { Options } from "#modules/options/options.ts";
import type { AddressBook } from "#network/address-book.ts";
import type { OutgoingMail, Mail } from "./mail.ts";

/**
 * The largest number of e-mails that are being sent at the same time. It limits how many pile up
 * when the mail server hangs.
 */
const sendingMax = 20;

const connectMs = 10_000;
/**
 * How long a connected mail server may be silent. It is long because servers may look the sender up
 * before they answer.
 */
const silenceMs = 20_000;

/** The port on which TLS begins with the first byte, without STARTTLS. */
const tlsPort = 465;

const forbiddenServer =
  "邮件服务器的地址不被允许：内网地址需由服务器管理员写入 TOLLGATE_PRIVATE_UPSTREAMS";

const setUpFirst = "管理员未配置邮件服务";

/** Nodemailer's error codes for which the user gets a message of their own. */
const reasons: Readonly<Record<string, string>> = {
  EAUTH: "邮件服务器拒绝了账号或密码",
  ECONNECTION: "无法连接邮件服务器",
  EENVELOPE: "邮件服务器拒绝了发件人或收件人地址",
  EMESSAGE: "邮件服务器拒绝了邮件内容",
  ESOCKET: "无法连接邮件服务器",
  ETIMEDOUT: "连接邮件服务器超时",
  ETLS: "无法与邮件服务器建立加密连接",
};

/**
 * Nodemailer's error codes after which the next e-mail tries another address of the mail server.
 */
const unreachable = new Set(["ECONNECTION", "ESOCKET", "ETIMEDOUT"]);

export function openMail({ readOption, addresses, log }: MailDeps): Mail {
  let sending = 0;
  return {
    isSetUp: () => readOption("SMTPServer") !== "" && senderOf(readOption) !== undefined,

    async send(mail) {
      const sender = senderOf(readOption);
      if (sender === undefined || readOption("SMTPServer") === "") {
        throw new Refusal("not-allowed", setUpFirst);
      }
      if (sending >= sendingMax) throw new Refusal("busy", "邮件过多，请稍后再试");
      sending += 1;
      const host = readOption("SMTPServer");
      let address = "";
      try {
        address = await findServer(addresses, host);
        const from = { name: readOption("SystemName"), ...sender };
        await sendBySmtp(readOption, { address, from, mail });
      } catch (error) {
        if (error instanceof Refusal) throw error;
        const { code, responseCode } = failureOf(error);
        // The error's message and the e-mail's address are left out, because they may quote what
        // was sent to the server.
        log.warn({ code, responseCode }, "an e-mail was not sent");
        if (unreachable.has(code)) addresses.avoid(host, address);
        const reason = reasons[code] ?? "邮件发送失败";
        throw new Refusal(
          "outside-failed",
          responseCode === 0 ? reason : `${reason}，邮件服务器答复 ${responseCode}`,
        );
      } finally {
        sending -= 1;
      }
    },
  };
}

type MailDeps = {
  readonly readOption: Options["read"];
  /** Resolves the mail server's name to an address that the operator allows. */
  readonly addresses: AddressBook;
  readonly log: Logger;
};

type Sender = { readonly name?: string; readonly address: string };

/**
 * Returns the sender of the e-mails: the option `SMTPFrom`, as `Name <address>` or only an address;
 * if it is empty, the account, if that is an address. Undefined if there is no address.
 */
function senderOf(readOption: Options["read"]): Sender | undefined {
  const text = readOption("SMTPFrom") || readOption("SMTPAccount");
  const [, name = "", address = text] = /^([^<]*)<([^>]*)>$/.exec(text) ?? [];
  if (!address.includes("@")) return undefined;
  return name.trim() === "" ? { address } : { name: name.trim(), address };
}

/**
 * Resolves the mail server's name.
 * @throws Refusal `outside-failed` if it cannot be resolved, or if the operator does not allow the
 * address.
 */
async function findServer(addresses: AddressBook, host: string): Promise<string> {
  const found = await addresses.find(host);
  switch (found.kind) {
    case "found":
      return found.address;
    case "unresolved":
      throw new Refusal("outside-failed", "找不到邮件服务器的地址");
    case "forbidden":
      throw new Refusal("outside-failed", forbiddenServer);
  }
}

type Sending = {
  /** The address of the mail server. */
  readonly address: string;
  readonly from: Sender & { readonly name: string };
  readonly mail: OutgoingMail;
};

async function sendBySmtp(
  readOption: Options["read"],
  { address, from, mail: { to, subject, text } }: Sending,
): Promise<void> {
  const host = readOption("SMTPServer");
  const port = readOption("SMTPPort");
  const [user, pass] = [readOption("SMTPAccount"), readOption("SMTPToken")];
  const signsIn = user !== "" && pass !== "";
  // The library is loaded with the first e-mail, because many installations never send one.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    // Connects to the address that was checked, but expects the certificate of the server's name.
    host: address,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    port,
    secure: port === tlsPort || readOption("SMTPSSLEnabled"),
    // Requires TLS if a password is sent to another machine, so that it is never sent in plain
    // text.
    requireTLS: signsIn && !isThisMachine(host),
    ...(signsIn ? { auth: { user, pass } } : {}),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    // Forbids Nodemailer to read the content of an e-mail from a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({ from, to: { name: "", address: to }, subject, text });
  } finally {
    transport.close();
  }
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Returns Nodemailer's error code and the mail server's status; 0: the server sent none. */
function failureOf(error: unknown): { readonly code: string; readonly responseCode: number } {
  if (typeof error !== "object" || error === null) return { code: "", responseCode: 0 };
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const said = "responseCode" in error ? Number(error.responseCode) : 0;
  return { code, responseCode: Number.isInteger(said) ? said : 0 };
}
