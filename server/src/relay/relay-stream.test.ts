import type { Socket } from "node:net";
import { afterEach, expect, test } from "bun:test";
import type { ChannelView } from "#ports/snapshot.ts";
import {
  openTestRelay,
  testChannel,
  type TestRelay,
  type TestRelayOptions,
} from "./testing/relay.ts";
import {
  callStream,
  done,
  event,
  finish,
  role,
  shownStream,
  streamHead,
  usageEvent,
  wholeCharge,
  wholeStream,
  words,
} from "./testing/stream.ts";
import { eventually, staysTrue } from "#base/testing/waiting.ts";
import { type Answerer, jsonAnswer, startUpstream } from "#network/testing/upstream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function open(
  given: Omit<TestRelayOptions, "channels"> & { readonly channel?: Partial<ChannelView> },
  ...answerers: readonly Answerer[]
) {
  const upstreams = await Promise.all(answerers.map((answerer) => startUpstream(answerer)));
  const channels = upstreams.map(({ url }, index) =>
    testChannel({ id: index + 1, baseUrl: url, priority: -index, ...given.channel }),
  );
  const relay = openTestRelay({ ...given, channels });
  stops.push(relay.stop, ...upstreams.map(({ stop }) => stop));
  return { relay, upstreams };
}

const sends =
  (text: string): Answerer =>
  (socket) =>
    socket.end(streamHead + text);

const charges = (relay: TestRelay) => relay.money.settled.map(({ charge }) => charge);
const sources = (relay: TestRelay) => relay.money.settled.map(({ log }) => log.usageSource);

test("a stream passes unchanged; usage is always requested, and shown to clients that requested it", async () => {
  const { relay, upstreams } = await open({}, sends(wholeStream));
  const client = callStream(relay);
  await eventually(() => client.end() !== undefined);
  expect([client.status(), client.text()]).toEqual([200, shownStream]);
  expect(upstreams[0]?.requests[0]).toContain('"stream_options":{"include_usage":true}');

  const asking = callStream(relay, { stream_options: { include_usage: true } });
  await eventually(() => asking.end() !== undefined);
  expect(asking.text()).toBe(wholeStream);
  expect(charges(relay)).toEqual([wholeCharge, wholeCharge]);
  expect(relay.money.held).toBe(0);
});

// Taking each event out of its chunk and framing it anew costs as much as the rest of relaying it.
test("an event that comes as a chunk of its own goes on in that chunk, unless a part is held back", async () => {
  const chunkOf = (text: string): string =>
    `000${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  let next: ((text: string) => void) | null = null;
  const { relay } = await open({}, (socket) => {
    socket.setNoDelay(true);
    socket.write(
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n" +
        chunkOf(role),
    );
    next = (text) => void socket.write(text);
  });
  const send = (text: string): void => (next as ((text: string) => void) | null)?.(text);
  const client = callStream(relay);
  await eventually(() => next !== null);
  const [first, second, third] = [words("one"), words("two"), words("three")];
  send(chunkOf(first));
  await eventually(() => client.raw().includes(first));
  send(chunkOf(second));
  await eventually(() => client.raw().endsWith(chunkOf(second)));
  // The beginning of an event waits for its end.
  send(chunkOf(third + finish.slice(0, 5)));
  await eventually(() => client.raw().includes(third));
  expect(client.raw()).toEndWith(`${Buffer.byteLength(third).toString(16)}\r\n${third}\r\n`);
  send(`${chunkOf(finish.slice(5))}${chunkOf(usageEvent)}${chunkOf(done)}0\r\n\r\n`);
  await eventually(() => client.raw().endsWith("0\r\n\r\n"));
  expect(client.raw()).not.toContain("usage");
  expect(charges(relay)).toHaveLength(1);
});

test("bytes and charge do not depend on how the stream is split", async () => {
  for (const size of [1, 7, 64]) {
    const { relay } = await open({}, (socket) => {
      socket.write(streamHead);
      const send = (at: number): void => {
        if (at >= wholeStream.length) {
          socket.end();
          return;
        }
        socket.write(wholeStream.slice(at, at + size));
        setImmediate(send, at + size);
      };
      send(0);
    });
    const client = callStream(relay);
    await eventually(() => client.end() !== undefined);
    expect([client.text(), charges(relay)]).toEqual([shownStream, [wholeCharge]]);
  }
});

test("P-M1: the closing event goes out after the bill is committed, not before", async () => {
  const { relay } = await open({}, sends(wholeStream));
  relay.money.committing = false;
  const client = callStream(relay);
  await eventually(() => client.text().includes('"finish_reason":"stop"'));
  const unbilled = shownStream.slice(0, -done.length);
  await eventually(() => client.text() === unbilled);
  await staysTrue(() => client.text() === unbilled && charges(relay).length === 0, 400);

  relay.money.committing = true;
  await eventually(() => client.end() !== undefined);
  expect(client.text()).toBe(shownStream);
  expect(charges(relay)).toEqual([wholeCharge]);
});

test("a bill that cannot be committed in time ends the stream with an error, and is committed later", async () => {
  const { relay } = await open({}, sends(wholeStream));
  relay.money.committing = false;
  const client = callStream(relay);
  await eventually(() => client.text().includes('"finish_reason":"stop"'));
  relay.skipMs += 11_000;
  await eventually(() => client.end() !== undefined);
  expect(client.text()).toContain('"code":"billing_unavailable"');
  expect(client.text()).not.toContain("[DONE]");

  relay.money.committing = true;
  await eventually(() => charges(relay).length === 1);
  expect(charges(relay)).toEqual([wholeCharge]);
  expect(relay.money.held).toBe(0);
});

test("P-U4: while an upstream is silent the client gets comments, and another channel may still be tried", async () => {
  let silent: Socket | undefined;
  const { relay } = await open({}, (socket) => (silent = socket), sends(wholeStream));
  const client = callStream(relay);
  await eventually(() => silent !== undefined);
  relay.skipMs += 15_500;
  await eventually(() => client.text() !== "");
  expect([client.status(), client.text()]).toEqual([200, ": keep-alive\n\n"]);

  silent?.destroy();
  await eventually(() => client.end() !== undefined);
  expect(client.text()).toBe(`: keep-alive\n\n${shownStream}`);
  expect(charges(relay)).toEqual([wholeCharge]);
});

test("a failure after the first comment is an error event, and free", async () => {
  let silent: Socket | undefined;
  const { relay } = await open({}, (socket) => (silent = socket));
  const client = callStream(relay);
  await eventually(() => silent !== undefined);
  relay.skipMs += 15_500;
  await eventually(() => client.text() !== "");
  silent?.write(jsonAnswer("{}", "500 Oops"));
  await eventually(() => client.end() !== undefined);

  expect(client.text()).toStartWith(': keep-alive\n\ndata: {"error":');
  expect(client.text()).not.toContain("[DONE]");
  expect(relay.money).toMatchObject({ held: 0, released: 1, settled: [] });
  expect(relay.failures).toHaveLength(1);
});

test("T10: an error before the first output is retried on another channel, whatever its form", async () => {
  for (const text of [
    streamHead + event({ error: { message: "overloaded" } }),
    streamHead + role + event({ error: { message: "overloaded" } }),
    streamHead + role,
    streamHead,
    `${streamHead}: only a comment\n\n`,
    jsonAnswer('{"error":{"message":"overloaded"}}'),
    jsonAnswer("<html></html>").replace("application/json", "text/html"),
  ]) {
    const { relay, upstreams } = await open({}, (socket) => socket.end(text), sends(wholeStream));
    const client = callStream(relay);
    await eventually(() => client.end() !== undefined);

    expect([text, client.status(), client.text()]).toEqual([text, 200, shownStream]);
    expect(upstreams.map(({ requests }) => requests.length)).toEqual([1, 1]);
    expect(charges(relay)).toEqual([wholeCharge]);
  }
});

test("a stream that no channel can begin is answered with a status, not with an empty stream", async () => {
  const { relay } = await open({}, sends(""));
  const client = callStream(relay);
  await eventually(() => client.end() !== undefined);

  expect(client.status()).toBe(502);
  expect(client.text()).toContain('"code":"bad_response"');
  expect(relay.money).toMatchObject({ held: 0, released: 1 });
});

test("P-U2: a break after the first output ends in an error event, and the output so far is charged", async () => {
  const content = role + words("Hello there, this is content");
  for (const end of [
    "",
    'data: {"choices":[{"index":0,"del',
    event({ error: { message: "at 10.0.0.1" } }),
  ]) {
    const { relay, upstreams } = await open({}, sends(content + end), sends(wholeStream));
    const client = callStream(relay);
    await eventually(() => client.end() !== undefined);

    expect(client.text()).toStartWith(content);
    expect(client.text().slice(content.length)).toMatch(
      /^data: \{"error":.*stream_interrupted.*\n\n$/,
    );
    expect(upstreams[1]?.requests).toEqual([]);
    // With the tests' tokenizer: 8 tokens of prompt, 6 of output.
    expect([charges(relay), sources(relay)]).toEqual([[8 * 2 + 6 * 8], ["local"]]);
    expect(relay.money.held).toBe(0);
  }
});

test("a stream without the closing event, or with more behind it, is charged once", async () => {
  for (const [text, shown] of [
    [role + words("Hello") + finish + usageEvent, role + words("Hello") + finish],
    [wholeStream + wholeStream, shownStream],
    [wholeStream + done, shownStream],
  ] as const) {
    const { relay } = await open({}, sends(text));
    const client = callStream(relay);
    await eventually(() => client.end() !== undefined);
    expect([client.end(), client.text()]).toEqual(["whole", shown]);
    expect(charges(relay)).toEqual([wholeCharge]);
  }
});

test("a connection that carried a stream is used again", async () => {
  const { relay, upstreams } = await open({}, (socket) => {
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n` +
        `${wholeStream.length.toString(16)}\r\n${wholeStream}\r\n0\r\n\r\n`,
    );
  });
  for (let count = 0; count < 3; count += 1) {
    const client = callStream(relay);
    await eventually(() => client.end() !== undefined);
    await eventually(() => relay.relay.open() === 0);
  }
  expect(upstreams[0]?.connections()).toBe(1);
});
