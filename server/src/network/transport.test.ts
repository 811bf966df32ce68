import type { Socket } from "node:net";
import { afterEach, expect, test } from "bun:test";
import { cancel, newCancellation } from "./cancellation.ts";
import { eventually, staysTrue, untilStill } from "#base/testing/waiting.ts";
import { callTo, limits, open, readText } from "./testing/calls.ts";
import { type Answerer, jsonAnswer, startUpstream } from "./testing/upstream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function upstream(answer: Answerer) {
  const started = await startUpstream(answer);
  stops.push(started.stop);
  return started;
}

test("a call is sent as given and returns status, type and body", async () => {
  const { transport } = open();
  const { requests, url } = await upstream((socket) => socket.write(jsonAnswer('{"b":2}')));

  expect(await readText(transport, callTo(url))).toBe('200 {"b":2}');
  expect(requests[0]).toBe(
    `POST /v1/x HTTP/1.1\r\nhost: ${url.slice(7)}\r\nauthorization: Bearer a\r\n` +
      'content-length: 7\r\n\r\n{"a":1}',
  );
});

test("sequential calls share a connection, concurrent calls do not", async () => {
  const { transport } = open();
  let together = 1;
  const waiting: Socket[] = [];
  const { connections, url } = await upstream((socket) => {
    waiting.push(socket);
    if (waiting.length < together) return;
    for (const each of waiting.splice(0)) each.write(jsonAnswer("1"));
  });
  for (let count = 0; count < 5; count += 1) await readText(transport, callTo(url));
  expect(connections()).toBe(1);

  together = 3;
  await Promise.all([1, 2, 3].map(() => readText(transport, callTo(url))));
  expect(connections()).toBe(3);
});

test("an idle connection is closed after a while", async () => {
  const { transport, skip } = open();
  const { open: openCount, url } = await upstream((socket) => socket.write(jsonAnswer("1")));
  await readText(transport, callTo(url));
  skip(29_000);
  await staysTrue(() => openCount() === 1, 400);
  skip(1_000);

  await eventually(() => openCount() === 0);
  expect(await readText(transport, callTo(url))).toBe("200 1");
});

test("no byte of a large body is lost to a slow upstream", async () => {
  const { transport } = open();
  const { requests, url } = await upstream((socket) => socket.write(jsonAnswer("1")));
  const body = new Uint8Array(5_000_000).fill(120);

  expect(await readText(transport, callTo(url, { body }))).toBe("200 1");
  expect(requests[0]?.endsWith("x".repeat(1_000))).toBe(true);
  expect(requests[0]?.split("\r\n\r\n")[1]?.length).toBe(body.length);
});

test("P-U1: a new connection that ends without an answer is a fault, and not tried again", async () => {
  const { transport } = open();
  const { requests, url } = await upstream((socket) => socket.destroy());

  expect(await readText(transport, callTo(url))).toBe("connection-closed");
  expect(requests).toHaveLength(1);
  expect(await readText(transport, callTo("http://127.0.0.1:1"))).toBe("connection-refused");
});

test("P-U2: truncated and overlong answers are never taken for complete", async () => {
  const head = "HTTP/1.1 200 OK\r\n";
  for (const [text, result] of [
    [`${head}content-length: 10\r\n\r\nhello`, "answer-truncated"],
    [`${head}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`, "answer-truncated"],
    [`${head}transfer-encoding: chunked\r\n\r\n5\r\nhel`, "answer-truncated"],
    [`${head}content-length: 5\r\n\r\nhello and more`, "200 hello"],
    [`${head}\r\nhello`, "200 hello"],
    [`${head}content-length: 5`, "answer-truncated"],
    ["nonsense\r\n\r\n", "answer-not-http"],
    ["SSH-2.0-OpenSSH_9.2\r\n\r\n", "answer-not-http"],
  ] as const) {
    const { transport } = open();
    const { url } = await upstream((socket) => socket.end(text));
    expect([text, await readText(transport, callTo(url))]).toEqual([text, result]);
  }
});

test("a connection with bytes behind its answer is not used again", async () => {
  const { transport } = open();
  const { connections, url } = await upstream((socket) =>
    socket.write(`${jsonAnswer("1")}HTTP/1.1 200 OK\r\n`),
  );
  await readText(transport, callTo(url));
  await readText(transport, callTo(url));

  expect(connections()).toBe(2);
});

test("P-U3: a redirect is an answer like any other: it is not followed", async () => {
  const { transport } = open();
  const other = await upstream((socket) => socket.write(jsonAnswer("secret")));
  const { url } = await upstream((socket) =>
    socket.write(
      `HTTP/1.1 307 Temporary Redirect\r\nlocation: ${other.url}/\r\ncontent-length: 0\r\n\r\n`,
    ),
  );

  expect(await readText(transport, callTo(url))).toBe("307 ");
  expect(other.connections()).toBe(0);
});

test("P-U6: an answer's size is limited", async () => {
  const { transport } = open();
  const announced = await upstream((socket) =>
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nthe first of a million"),
  );
  expect(await readText(transport, callTo(announced.url), 100)).toBe("answer-too-large");
  await eventually(() => announced.open() === 0);

  const endless = await upstream((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const pour = (): void => {
      while (!socket.destroyed && socket.write("x".repeat(65_536)));
    };
    socket.on("drain", pour);
    pour();
  });
  expect(await readText(transport, callTo(endless.url), 5_000_000)).toBe("answer-too-large");
  await eventually(() => endless.open() === 0);
});

test("P-U4: each pause has its time limit, which also closes the connection", async () => {
  for (const [text, code] of [
    ["", "timeout-first-byte"],
    ["HTTP/1.1 200 OK\r\n\r\nsome", "timeout-between-chunks"],
  ] as const) {
    const { transport, skip } = open();
    const { open: openCount, requests, url } = await upstream((socket) => socket.write(text));
    const result = readText(transport, callTo(url));
    await eventually(() => requests.length === 1);
    skip(limits.betweenChunksMs - 5_000);
    await staysTrue(() => openCount() === 1, 300);
    // The measured pause begins only when the last byte has arrived, so the clock is moved on until
    // the time limit ends the call.
    let seen: string | undefined;
    void result.then((text) => (seen = text));
    await eventually(() => {
      skip(100);
      return seen !== undefined;
    });
    expect(seen).toBe(code);
    await eventually(() => openCount() === 0);
  }
});

test("P-U4: an answer that drips without end is ended by the total limit", async () => {
  const { transport, skip } = open();
  const drips: (() => void)[] = [];
  const { url } = await upstream((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\nx");
    drips.push(() => void socket.write("x"));
  });
  const answer = await transport(callTo(url));
  if (answer.kind === "fault") throw new Error(answer.code);
  // The upstream sends each byte only after the one before was read, so no single pause exceeds its
  // limit and only the total limit can.
  let read = await answer.read();
  for (let passed = 0; passed < limits.totalMs && read instanceof Uint8Array; passed += 50_000) {
    skip(50_000);
    drips[0]?.();
    read = await answer.read();
  }
  if (read instanceof Uint8Array) read = await answer.read();

  expect(read).toMatchObject({ code: "timeout-total" });
});

test("a slow reader does not count against the upstream's time limits", async () => {
  const { transport, skip } = open();
  const { open: openCount, url } = await upstream((socket) => socket.write(jsonAnswer('"hello"')));
  const answer = await transport(callTo(url));
  if (answer.kind === "fault") throw new Error(answer.code);
  skip(10 * limits.betweenChunksMs);
  // The transport has closed the idle connection, so a tick has passed in which the limit could
  // have ended the call.
  await eventually(() => openCount() === 0);

  expect(Buffer.from((await answer.readAll(100)) as Uint8Array).toString()).toBe('"hello"');
});

test("cancelling closes the connection, before and after the head", async () => {
  for (const text of ["", "HTTP/1.1 200 OK\r\n\r\nsome"]) {
    const { transport } = open();
    const { open: openCount, requests, url } = await upstream((socket) => socket.write(text));
    const cancellation = newCancellation();
    const result = readText(transport, callTo(url, { cancellation }));
    await eventually(() => requests.length === 1);
    cancel(cancellation);

    expect(await result).toBe("aborted");
    await eventually(() => openCount() === 0);
  }
});

test("a call cancelled before it is sent is not sent", async () => {
  const { transport } = open();
  const { connections, url } = await upstream((socket) => socket.write(jsonAnswer("1")));
  const cancellation = newCancellation();
  cancel(cancellation);

  expect(await readText(transport, callTo(url, { cancellation }))).toBe("aborted");
  expect(connections()).toBe(0);
});

test("P-N5: a key with a line break cannot add a header", async () => {
  const { transport } = open();
  const { connections, url } = await upstream((socket) => socket.write(jsonAnswer("1")));
  for (const value of ["a\r\nx-admin: 1", "a\nb", "a\0b", "ключ"]) {
    expect(await readText(transport, callTo(url, { headers: { authorization: value } }))).toBe(
      "request-malformed",
    );
  }
  expect(connections()).toBe(0);
});

test("P-N1: all addresses of a name are checked, and the checked address is connected to", async () => {
  const { transport } = open();
  const { connections, port, requests } = await upstream((socket) => socket.write(jsonAnswer("1")));
  for (const url of [`http://inside.test:${port}`, "http://10.1.2.3", "http://[::1]:80"]) {
    expect(await readText(transport, callTo(url))).toBe("address-forbidden");
  }
  expect(connections()).toBe(0);

  expect(await readText(transport, callTo(`http://outside.test:${port}`))).toBe("200 1");
  expect(requests[0]).toContain(`\r\nhost: outside.test:${port}\r\n`);
});

test("P-K1: a stalled reader stalls the upstream, and the connection works afterwards", async () => {
  const { transport } = open();
  let sent = 0;
  const total = 64 * 1024 * 1024;
  const { connections, url } = await upstream((socket, _request, count) => {
    if (count > 1) {
      socket.write(jsonAnswer('"next"'));
      return;
    }
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${total}\r\n\r\n`);
    const piece = Buffer.alloc(65_536, 120);
    const pour = (): void => {
      while (sent < total) {
        sent += piece.length;
        if (!socket.write(piece)) return;
      }
    };
    socket.on("drain", pour);
    pour();
  });
  const call = callTo(url, { isStream: true });
  const answer = await transport(call);
  if (answer.kind === "fault") throw new Error(answer.code);
  await untilStill(() => sent);
  expect(sent).toBeLessThan(total / 2); // only what fits into the kernel's buffers

  let read = 0;
  for (;;) {
    const part = await answer.read();
    if (part === null) break;
    if (!(part instanceof Uint8Array)) throw new Error(part.code);
    read += part.length;
  }
  expect(read).toBe(total);
  // If the connection were kept while paused, the next call's answer would never be read.
  expect(await readText(transport, call)).toBe('200 "next"');
  expect(connections()).toBe(1);
});
