import { afterAll, expect, test } from "bun:test";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { openAddressPolicy } from "#base/address-policy.ts";
import { openLogger } from "#base/logger.ts";
import { Refusal } from "#base/refusal.ts";
import { openSecrets } from "#base/secrets.ts";
import { openNetwork } from "#network/network.ts";
import { openOptions, storedText } from "#modules/options/options.ts";
import {
  options as definitions,
  type StoredOptionName,
} from "@tollgate/contract/options/options.ts";
import { type OutgoingMail, writeMail } from "./mail.ts";
import { openMail } from "./smtp.ts";

const secrets = openSecrets("0123456789abcdef0123456789abcdef");
const password = "a secret that no message repeats";

type Received = { from: string; to: string[]; text: string };

const received: Received[] = [];
const passwordsSent: string[] = [];
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  allowInsecureAuth: true,
  onAuth({ username, password: sent }, _session, done) {
    passwordsSent.push(sent ?? "");
    if (sent === password) done(null, { user: username });
    else done(new Error(`no: ${sent}`));
  },
  onRcptTo({ address }, _session, done) {
    done(address === "nobody@example.com" ? new Error("no such mailbox") : null);
  },
  onData(stream, { envelope }, done) {
    const parts: Buffer[] = [];
    stream.on("data", (part: Buffer) => void parts.push(part));
    stream.on("end", () => {
      const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
      const to = envelope.rcptTo.map(({ address }) => address);
      received.push({ from, to, text: Buffer.concat(parts).toString() });
      done();
    });
  },
});
await new Promise<void>((resolve) => {
  server.listen(0, "127.0.0.1", resolve);
});
// Safe cast: a server that listens on a port has an address of this type.
const { port } = server.server.address() as AddressInfo;
afterAll(() => server.close());

/** Maps the name of a mail server to the address that it resolves to. */
const hosts: Record<string, string> = { "mail.example.org": "127.0.0.1" };

function mailBy(
  set: Partial<Record<StoredOptionName, string>>,
  allowed: { readonly privateRanges: readonly string[]; readonly loopback: boolean } = {
    privateRanges: [],
    loopback: true,
  },
) {
  const { addresses } = openNetwork({
    policy: openAddressPolicy(allowed),
    resolve: async (host) => [hosts[host] ?? host],
    nowMs: () => 0,
  });
  const options = openOptions(secrets, (key, reason) => {
    throw new Error(`${key}: ${reason}`);
  });
  const all = { SMTPServer: "127.0.0.1", SMTPPort: String(port), ...set };
  options.refresh(
    Object.entries(all).map(([key, text]) => {
      // Safe cast: all keys are names of options, given in the literal above or by the caller.
      const name = key as StoredOptionName;
      return { key, value: storedText(definitions[name], key, text, secrets) };
    }),
  );
  return openMail({ readOption: options.read, addresses, log: openLogger("silent") });
}

const sample: OutgoingMail = {
  to: "a@example.com",
  subject: "验证码：123456",
  text: "第一行\n.\n末行\n",
};

async function refusalOf(sent: Promise<void>): Promise<string> {
  const error: unknown = await sent.then(
    () => "sent",
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Refusal);
  expect(error).toMatchObject({ code: expect.stringMatching(/^(outside-failed|not-allowed)$/) });
  return (error as Refusal).message; // `toBeInstanceOf` above checks the type
}

test("A-182: an e-mail arrives at its one address, as it was written", async () => {
  const mail = mailBy({ SMTPAccount: "gate@example.org", SMTPToken: password });
  expect(mail.isSetUp()).toBe(true);
  await mail.send(sample);

  const [got] = received.splice(0);
  expect(got).toMatchObject({ from: "gate@example.org", to: ["a@example.com"] });
  const [head = "", body = ""] = got?.text.split("\r\n\r\n") ?? [];
  expect(head).toMatch(/^From: Tollgate <gate@example\.org>$/m);
  expect(head).toMatch(/^To: a@example\.com$/m);
  const subject = [...head.matchAll(/=\?UTF-8\?B\?([^?]+)\?=/gi)].map(([, part = ""]) => part);
  expect(subject.map((part) => Buffer.from(part, "base64").toString()).join("")).toBe(
    sample.subject,
  );
  expect(Buffer.from(body, "base64").toString()).toBe(sample.text);
  expect(passwordsSent.splice(0)).toEqual([password]);
});

test("the sender is SMTPFrom, with its display name if it has one", async () => {
  await mailBy({ SMTPFrom: "Gate House <no-reply@example.org>" }).send(sample);
  await mailBy({ SMTPFrom: "plain@example.org", SystemName: "My, System" }).send(sample);

  const [first, second] = received.splice(0);
  expect(first?.from).toBe("no-reply@example.org");
  expect(first?.text).toMatch(/^From: Gate House <no-reply@example\.org>\r$/m);
  expect(second?.text).toMatch(/^From: "My, System" <plain@example\.org>\r$/m);
  expect(passwordsSent).toEqual([]);
});

test("a refused password, recipient and connection have different messages, without secrets", async () => {
  const account = { SMTPAccount: "gate@example.org" };
  const wrong = await refusalOf(mailBy({ ...account, SMTPToken: "not the one" }).send(sample));
  expect(wrong).toBe("邮件服务器拒绝了账号或密码，邮件服务器答复 535");
  expect(passwordsSent.splice(0)).toEqual(["not the one"]);

  const unknown = { ...sample, to: "nobody@example.com" };
  expect(await refusalOf(mailBy(account).send(unknown))).toMatch(
    /发件人或收件人地址，邮件服务器答复 550$/,
  );
  expect(await refusalOf(mailBy({ ...account, SMTPPort: "1" }).send(sample))).toBe(
    "无法连接邮件服务器",
  );
  expect(received).toEqual([]);
});

test("a password is not sent in plain text to another machine", async () => {
  // An address of this machine, in a notation that the code takes for another machine.
  const set = { SMTPServer: "::ffff:127.0.0.1", SMTPAccount: "a@b.example", SMTPToken: password };
  const message = await refusalOf(mailBy(set).send(sample));

  expect(message).toMatch(/^无法与邮件服务器建立加密连接/);
  expect(passwordsSent).toEqual([]);
});

// If every address were allowed, anyone who may set the mail server could reach every service of
// the private network.
test("a mail server at a private address needs the operator's leave", async () => {
  const account = { SMTPAccount: "gate@example.org" };
  const closed = { privateRanges: [], loopback: false };
  for (const SMTPServer of ["127.0.0.1", "mail.example.org", "169.254.169.254", "10.0.0.7"]) {
    const refused = await refusalOf(mailBy({ ...account, SMTPServer }, closed).send(sample));
    expect(refused, SMTPServer).toContain("TOLLGATE_PRIVATE_UPSTREAMS");
  }
  expect(received).toEqual([]);
  const open = { privateRanges: ["127.0.0.1/32"], loopback: false };
  await mailBy({ ...account, SMTPServer: "mail.example.org" }, open).send(sample);
  expect(received.splice(0)).toHaveLength(1);
});

test("without a server, or without a sender's address, nothing is sent", async () => {
  for (const set of [{ SMTPServer: "", SMTPFrom: "a@b.example" }, { SMTPAccount: "no address" }]) {
    const mail = mailBy(set);
    expect(mail.isSetUp()).toBe(false);
    expect(await refusalOf(mail.send(sample))).toBe("管理员未配置邮件服务");
  }
});

test("e-mails are in the requested language, with every value in its place", () => {
  const values = { system: "门", code: "012345", minutes: "3", link: "https://g.example/x?a=1" };
  expect(writeMail("code", "en-GB", values).subject).toBe("门: your verification code is 012345");
  expect(writeMail("code", "", values).subject).toBe("门 邮箱验证码：012345");
  for (const language of ["en", "zh"]) {
    const { text } = writeMail("reset", language, values);
    expect(text).toContain("\n\nhttps://g.example/x?a=1\n\n");
    expect(text).not.toContain("{{");
  }
});
