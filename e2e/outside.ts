/** A mail server and an OpenID Connect provider for journeys, both on this machine. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export type MailBox = {
  readonly port: number;
  /** Text of the newest e-mail to an address; `""`: none has arrived. */
  readonly newest: (address: string) => string;
  readonly stop: () => Promise<void>;
};

export async function openMailBox(): Promise<MailBox> {
  const mails: { readonly to: readonly string[]; readonly text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
    onData(stream, { envelope }, done) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => void parts.push(part));
      stream.on("end", () => {
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ to, text: plainText(Buffer.concat(parts).toString()) });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: portOf(server.server),
    newest: (address) => mails.findLast(({ to }) => to.includes(address))?.text ?? "",
    stop: async () => await new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Decodes an e-mail's text from ASCII, base64 or quoted-printable. */
function plainText(mail: string): string {
  const [head = "", ...body] = mail.split("\r\n\r\n");
  const text = body.join("\r\n\r\n");
  if (/^content-transfer-encoding: base64/im.test(head)) {
    return Buffer.from(text, "base64").toString();
  }
  return text
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

export type PlayedProvider = {
  readonly origin: string;
  /** Makes the provider refuse the next request for consent. */
  readonly refuseNext: () => void;
  readonly stop: () => Promise<void>;
};

/** Starts the provider. Its page sends every visitor back immediately, signed in as `person`. */
export async function playProvider(person: object): Promise<PlayedProvider> {
  let refuses = false;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname !== "/authorize") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(pathname === "/token" ? { access_token: "a" } : person));
      return;
    }
    const back = new URL(searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("state", searchParams.get("state") ?? "");
    if (refuses) {
      back.searchParams.set("error", "access_denied");
      back.searchParams.set("error_description", "Somebody said no");
    } else back.searchParams.set("code", "c");
    refuses = false;
    response.writeHead(302, { location: back.href }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${portOf(server)}`,
    refuseNext: () => void (refuses = true),
    stop: async () => await new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function portOf(server: Pick<Server, "address">): number {
  // Safe cast: the address of a server that listens on a port has this form.
  return (server.address() as AddressInfo).port;
}
