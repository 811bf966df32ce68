import { expect, test } from "bun:test";
import type { ClientRequest } from "./client-request.ts";
import { openByteBudget } from "#base/memory/byte-budget.ts";
import { arrivesFirst, eventually, staysTrue } from "#base/testing/waiting.ts";
import { echo, requestText, responsesIn, testServers } from "./testing/server.ts";

const open = testServers();

const chunked = ["transfer-encoding: chunked"];

test("P-K4: pipelined requests are answered in order, each after the one before", async () => {
  const waiting: ClientRequest[] = [];
  const client = open((request) => void waiting.push(request)).dial();
  client.send(
    requestText("POST /one", ["content-length: 3"], "abc") +
      requestText("POST /two", chunked, "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nx: y\r\n\r\n") +
      requestText("GET /three"),
  );
  for (const count of [1, 2, 3]) {
    await eventually(() => waiting.length === count);
    await staysTrue(() => waiting.length === count, 20);
    const request = waiting.at(-1);
    if (request !== undefined) echo(request);
  }
  await eventually(() => client.text().includes("/three"));
  expect(responsesIn(client.text())).toEqual([
    "200 POST /one abc",
    "200 POST /two abcde",
    "200 GET /three ",
  ]);
  expect(client.end()).toBe("open");
});

test("a machine that stood still does not end the connections that open when it goes on", async () => {
  const server = open(echo);
  server.skipMs = 3_600_000;
  const client = server.dial();
  await server.ticked();
  client.send(requestText("GET /late"));
  await eventually(() => client.text() !== "" || client.end() !== "open");
  expect(responsesIn(client.text())).toEqual(["200 GET /late "]);
  expect(client.end()).toBe("open");
});

test("a body is freed, but not together with the request that came behind it", async () => {
  const bodies: Buffer[] = [];
  const texts: string[] = [];
  const client = open((request) => {
    const take = (body: Buffer | string): void => {
      if (typeof body === "string") throw new Error(`the body did not arrive: ${body}`);
      bodies.push(body);
      texts.push(body.toString());
      request.freeBody(body);
      request.respond({ status: 200, body: "" });
    };
    const reading = request.readBody(100_000, openByteBudget(64 * 1024 * 1024), 0);
    if (reading instanceof Promise) void reading.then(take);
    else take(reading);
  }).dial();
  const long = (letter: string): string => letter.repeat(20_000);
  const post = (body: string): string =>
    requestText("POST /", [`content-length: ${body.length}`], body);
  client.send(post(long("a")) + post(long("b")));
  await eventually(() => bodies.length === 2);
  client.send(post("short"));
  await eventually(() => bodies.length === 3);

  expect(texts).toEqual([long("a"), long("b"), "short"]);
  expect(bodies.map(({ length }) => length)).toEqual([0, 0, 5]);
});

test("thousands of pipelined requests are answered one by one", async () => {
  const client = open(echo).dial();
  client.send(requestText("GET /x").repeat(5_000));
  await eventually(() => client.text().split("GET /x").length === 5_001);
  expect(new Set(responsesIn(client.text()))).toEqual(new Set(["200 GET /x "]));
});

test("P-K4: a request means the same however its bytes are split", async () => {
  const { dial } = open(echo);
  const text =
    requestText("POST /a?b=c", ["x: y", "content-length: 4"], "body") +
    requestText("POST /d", chunked, "5\r\nfirst\r\n6;q\r\nsecond\r\n0\r\n\r\n") +
    requestText("GET /e", ["connection: close"]);
  const expected = ["200 POST /a?b=c body", "200 POST /d firstsecond", "200 GET /e "];
  await Promise.all(
    Array.from({ length: text.length }, async (_, at) => {
      const client = dial();
      client.socket.setNoDelay(true);
      client.send(text.slice(0, at));
      await arrivesFirst();
      client.send(text.slice(at));
      await eventually(() => client.end() !== "open");
      expect([at, client.end(), responsesIn(client.text())]).toEqual([at, "whole", expected]);
    }),
  );
});

test("P-K4: a client that closed its side still gets its responses", async () => {
  const waiting: ClientRequest[] = [];
  const { dial } = open((request) => void waiting.push(request));
  const client = dial();
  client.socket.end(requestText("GET /one") + requestText("GET /two") + "GET /thr");
  for (const count of [1, 2]) {
    await eventually(() => waiting.length === count);
    await staysTrue(() => waiting.length === count && client.end() === "open", 50);
    waiting.at(-1)?.respond({ status: 200, headers: {}, body: `${count}` });
  }
  await eventually(() => client.end() !== "open");
  expect([client.end(), responsesIn(client.text())]).toEqual(["whole", ["200 1", "200 2"]]);
});

test("bytes of a stream arrive as they were written, although their memory is used again", async () => {
  const size = 3_000_000;
  const { dial } = open((request) => {
    const sink = request.stream({ status: 200, headers: {} });
    const memory = Buffer.alloc(size, "a");
    sink?.write(memory);
    memory.fill("b");
    sink?.write(memory.fill("c", 0, 100).subarray(0, 100));
    memory.fill("b");
    sink?.end();
  });
  const client = dial();
  client.send(requestText("GET /"));
  await eventually(() => client.text().endsWith("\r\n0\r\n\r\n"));
  const body = client.text().slice(client.text().indexOf("\r\n\r\n") + 4);
  const length = size.toString(16);
  expect(body === `${length}\r\n${"a".repeat(size)}\r\n64\r\n${"c".repeat(100)}\r\n0\r\n\r\n`).toBe(
    true,
  );
});

test("HTTP/1.0 clients get a length or the connection's end, and keep-alive on request", async () => {
  const { dial } = open((request) => {
    if (request.url !== "/stream") return echo(request);
    const sink = request.stream({ status: 200, headers: {} });
    sink?.write(Buffer.from("one"));
    sink?.end(Buffer.from("two"));
  });
  const once = dial();
  once.send(requestText("GET / HTTP/1.0"));
  await eventually(() => once.end() === "whole");
  expect(once.text()).toContain("\r\nconnection: close\r\n");
  const kept = dial();
  kept.send(requestText("GET /a HTTP/1.0", ["connection: keep-alive"]));
  await eventually(() => kept.text().endsWith("/a "));
  expect(kept.text()).toContain("\r\nconnection: keep-alive\r\n");
  kept.send(requestText("GET /stream HTTP/1.0", ["connection: keep-alive"]));
  await eventually(() => kept.end() === "whole");
  expect(kept.text()).toEndWith("\r\n\r\nonetwo");
  expect(kept.text()).not.toContain("transfer-encoding");
});

test("responses without a body have no length, or a length of 0", async () => {
  const { dial } = open((request) => {
    const status = Number(request.url.slice(1));
    request.respond({ status, headers: { etag: '"x"' }, body: status === 200 ? "body" : null });
  });
  const client = dial();
  for (const [first, length] of [
    ["HEAD /200", "4"],
    ["GET /204", undefined],
    ["GET /304", undefined],
    ["GET /404", "0"],
  ] as const) {
    const from = client.text().length;
    client.send(requestText(first));
    await eventually(() => client.text().endsWith("\r\n\r\n") && client.text().length > from);
    const text = client.text().slice(from);
    expect([first, /content-length: (\d+)/.exec(text)?.[1]]).toEqual([first, length]);
    expect(text).toContain('\r\netag: "x"\r\ndate: ');
  }
});

test("`100 Continue` is sent once, when the body is read", async () => {
  const { dial } = open((request) => {
    if (request.url === "/read") echo(request);
    else request.respond({ status: 401, headers: {}, body: null });
  });
  const lines = ["expect: 100-continue", "content-length: 4"];
  const client = dial();
  client.send(requestText("POST /read", lines));
  await eventually(() => client.text() === "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("bo");
  await arrivesFirst();
  client.send("dy");
  await eventually(() => client.text().endsWith("body"));
  expect(client.text().split("100 Continue").length).toBe(2);
  const refused = dial();
  refused.send(requestText("POST /no", lines));
  await eventually(() => refused.end() === "whole");
  expect(refused.text()).toStartWith("HTTP/1.1 401 Unauthorized\r\n");
});

test("an unread body ends the connection after the response", async () => {
  const { dial } = open((request) => request.respond({ status: 413, headers: {}, body: "no" }));
  const client = dial();
  client.send(requestText("POST /", ["content-length: 100000000"], "x".repeat(1_000)));
  await eventually(() => client.end() === "whole");
  client.send("x".repeat(1_000_000));
  expect(client.text()).toContain("\r\nconnection: close\r\n");
  expect(responsesIn(client.text())).toEqual(["413 no"]);
  // If a request is refused after its body has arrived completely, the connection stays open.
  const kept = dial();
  kept.send(requestText("POST /", ["content-length: 3"], "xyz") + requestText("GET /"));
  await eventually(() => responsesIn(kept.text()).length === 2);
  expect(kept.end()).toBe("open");
});

test("P-N3: an invalid request is refused and ends the connection; nothing behind it is read", async () => {
  const asked: string[] = [];
  const { dial } = open((request) => {
    asked.push(request.url);
    echo(request);
  });
  for (const [text, status] of [
    ["GET / HTTP/1.1\r\n\r\n", 400],
    ["GET / HTTP/1.1\nhost: a\n\n", 400],
    [requestText("POST /", ["content-length: 1", ...chunked], "0\r\n\r\n"), 400],
    [requestText(`GET /${"a".repeat(9_000)}`), 414],
    [requestText("GET /", ["expect: more"]), 417],
    [requestText("GET /", [`x: ${"y".repeat(17_000)}`]), 431],
    [requestText("TRACE /"), 501],
    ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505],
  ] as const) {
    const client = dial();
    client.send(text + requestText("GET /smuggled"));
    await eventually(() => client.end() !== "open");
    expect([text, client.end(), client.text().slice(9, 12)]).toEqual([text, "whole", `${status}`]);
    expect(responsesIn(client.text()).length).toBe(1);
  }
  expect(asked).toEqual([]);
});

test("P-N3: invalid chunks break the body and end the connection", async () => {
  const { dial } = open(echo);
  for (const body of [
    "x\r\n",
    "\r\n",
    "-1\r\n",
    "+1\r\na\r\n",
    "0x1\r\na\r\n",
    " 1\r\na\r\n",
    "1\na\r\n",
    "1\r\nab\r\n0\r\n\r\n",
    "1\r\na\n0\r\n\r\n",
    "1\r\na0\r\n\r\n",
    "1 \r\na\r\n0\r\n\r\n",
    "1;\r\na\r\n0\r\n\r\n",
    "1 ;x\r\na\r\n0\r\n\r\n",
    '1;x="\r\na\r\n0\r\n\r\n',
    '1;x="y"z\r\na\r\n0\r\n\r\n',
    "1;\x00\r\na\r\n0\r\n\r\n",
    "1;x\ry\r\na\r\n0\r\n\r\n",
    "0\r\nx\r\n\r\n",
    "0\r\n x: y\r\n\r\n",
    "0\r\nx: y\n\r\n",
    "0\r\nContent-Length: 5\r\n\r\nhello",
    "0\r\nConnection: close\r\n\r\n",
    "0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    `${"0".repeat(14)}\r\n\r\n`,
    `${"f".repeat(14)}\r\n`,
    `1;${"x".repeat(300)}\r\na\r\n`,
    `0\r\n${"x: y\r\n".repeat(101)}\r\n`,
    `0\r\nx: ${"y".repeat(17_000)}\r\n\r\n`,
  ]) {
    const client = dial();
    client.send(requestText("POST /", chunked, body) + requestText("GET /smuggled"));
    await eventually(() => client.end() !== "open");
    const responses = responsesIn(client.text());
    expect([body, client.end(), responses]).toEqual([body, "whole", ["400 POST / broken"]]);
  }
});

test("P-O1: a draining server ends each connection with its response", async () => {
  const { dial, server } = open(echo);
  const client = dial();
  client.send(requestText("GET /a"));
  await eventually(() => client.text().endsWith("/a "));
  expect(client.end()).toBe("open");
  server.startDraining();
  client.send(requestText("GET /b"));
  await eventually(() => client.end() === "whole");
  expect(client.text().split("connection: close").length).toBe(2);
});

test("a body over the limit is refused by its announced or actual length", async () => {
  const { dial } = open(echo);
  for (const [line, body] of [
    ["content-length: 1000001", ""],
    ["transfer-encoding: chunked", `f4241\r\n${"x".repeat(1_000_001)}\r\n`],
  ] as const) {
    const client = dial();
    client.send(requestText("POST /", [line], body));
    await eventually(() => client.end() === "whole");
    expect(responsesIn(client.text())).toEqual(["400 POST / too-large"]);
  }
  const client = dial();
  const body = "x".repeat(1_000_000);
  client.send(requestText("POST /", ["content-length: 1000000"], body));
  client.send(requestText("POST /", chunked, `${"1\r\ny\r\n".repeat(50_000)}0\r\n\r\n`));
  await eventually(() => client.text().endsWith("yyy"));
  expect(responsesIn(client.text()).map((text) => text.length)).toEqual([1_000_011, 50_011]);
});
