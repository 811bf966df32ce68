/** The client's side of SOCKS5: RFC 1928, and RFC 1929 for user names and passwords. */

import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";
import type { Tunnel, TunnelFailure } from "./tunnel.ts";

const version = 5;
const passwordVersion = 1;
const connectCommand = 1;
const withoutCredentials = 0;
const byPassword = 2;
const noMethod = 0xff;
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const;
/** The length of a reply without its address, in bytes. */
const replyBytes = 6;

/** Asks a SOCKS5 proxy to connect to the target. */
export function askSocks(
  socket: Socket,
  { proxy, host, port }: Tunnel,
  reached: (failure: TunnelFailure | null) => void,
): void {
  const { username, password } = proxy;
  const hasCredentials = username !== "" || password !== "";
  let received = Buffer.alloc(0);
  let step: "method" | "password" | "reply" = "method";
  const end = (failure: TunnelFailure | null): void => {
    socket.off("data", read);
    reached(failure);
  };
  const request = (): void => {
    step = "reply";
    socket.write(Buffer.concat([Buffer.of(version, connectCommand, 0), addressOf(host, port)]));
  };
  function readMethod(method: number): void {
    if (method === withoutCredentials) request();
    else if (method === byPassword && hasCredentials) {
      step = "password";
      socket.write(
        Buffer.concat([Buffer.of(passwordVersion), counted(username), counted(password)]),
      );
    } else end(method === byPassword || method === noMethod ? "proxy-credentials" : "proxy-failed");
  }
  function readReply(): void {
    const status = received[1] ?? 0;
    if (received[0] !== version) end("proxy-failed");
    else if (status !== 0) end("proxy-refused");
    else {
      const length = replyBytes + addressLength(received);
      if (received.length > length) end("proxy-failed");
      else if (received.length === length) end(null);
    }
  }
  function read(bytes: Buffer): void {
    received = Buffer.concat([received, bytes]);
    if (step === "method" && received.length >= 2) {
      const [first, method = noMethod] = received;
      received = received.subarray(2);
      if (first === version) readMethod(method);
      else end("proxy-failed");
    } else if (step === "password" && received.length >= 2) {
      const isRight = received[1] === 0;
      received = received.subarray(2);
      if (isRight) request();
      else end("proxy-credentials");
    } else if (step === "reply" && received.length >= 5) readReply();
  }
  socket.on("data", read);
  socket.write(
    hasCredentials
      ? Buffer.of(version, 2, withoutCredentials, byPassword)
      : Buffer.of(version, 1, withoutCredentials),
  );
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function addressOf(host: string, port: number): Buffer {
  const ending = Buffer.of(port >> 8, port & 0xff);
  if (!ipaddr.isValid(host)) {
    return Buffer.concat([Buffer.of(addressTypes.name), counted(host), ending]);
  }
  const address = ipaddr.parse(host);
  const type = addressTypes[address.kind()];
  return Buffer.concat([Buffer.of(type), Buffer.from(address.toByteArray()), ending]);
}

/** Returns the length of the address in a reply, in bytes. */
function addressLength(reply: Buffer): number {
  switch (reply[3]) {
    case addressTypes.ipv4:
      return 4;
    case addressTypes.ipv6:
      return 16;
    default:
      return 1 + (reply[4] ?? 0);
  }
}
