/** Other servers that journeys play on this machine: of mail, sign-in, and payment by card. */

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

type PlayedStripe = {
  readonly origin: string;
  readonly stop: () => Promise<void>;
};

/** Starts a server like Stripe's API. Its page takes every payment at once, and leads back. */
export async function playStripe(): Promise<PlayedStripe> {
  const sessions = new Map<string, { readonly session: StripeSession; readonly back: string }>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => void parts.push(part));
    request.on("end", () => {
      const { pathname } = new URL(request.url ?? "/", "http://stripe");
      if (request.method === "POST") {
        const form = new URLSearchParams(Buffer.concat(parts).toString());
        const id = `cs_test_${sessions.size + 1}`;
        const session = stripeSession(form, id, `http://${request.headers.host}/pay/${id}`);
        sessions.set(id, { session, back: form.get("success_url") ?? "" });
        response.end(JSON.stringify(session));
        return;
      }
      const found = sessions.get(pathname.split("/").at(-1) ?? "");
      if (found === undefined) return void response.writeHead(404).end("{}");
      if (!pathname.startsWith("/pay/")) return void response.end(JSON.stringify(found.session));
      found.session.payment_status = "paid";
      found.session.payment_intent = `pi_${found.session.id}`;
      response.setHeader("content-type", "text/html");
      response.end(`<h1>Paid by card</h1><a href="${found.back}">Back</a>`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${portOf(server)}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

type StripeSession = ReturnType<typeof stripeSession>;

function stripeSession(form: URLSearchParams, id: string, url: string) {
  return {
    id,
    object: "checkout.session",
    url,
    livemode: false,
    client_reference_id: form.get("client_reference_id"),
    metadata: { tollgate_order: form.get("metadata[tollgate_order]") },
    payment_status: "unpaid",
    payment_intent: "",
    amount_total: Number(form.get("line_items[0][price_data][unit_amount]")),
    currency: form.get("line_items[0][price_data][currency]"),
  };
}

function portOf(server: Pick<Server, "address">): number {
  // Safe cast: the address of a server that listens on a port has this form.
  return (server.address() as AddressInfo).port;
}
