/** Tests what happens if the database takes longer to commit a charge than the answer may wait. */

import { afterEach, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import { openTestRelay, testChannel, type TestRelay } from "./testing/relay.ts";
import {
  callStream,
  disconnected,
  done,
  event,
  finish,
  role,
  streamHead,
  wholeCharge,
  wholeStream,
} from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const answer = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});
const wholeAnswer =
  "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n" +
  `content-length: ${answer.length}\r\n\r\n${answer}`;

const settleWaitMs = 10_000;

async function open(bytes: string): Promise<TestRelay> {
  const upstream = await startUpstream((socket) => void socket.write(bytes));
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url })] });
  stops.push(relay.stop, upstream.stop);
  relay.money.committing = false;
  return relay;
}

/**
 * Waits until a charge is waiting for the database, then moves the clock past the time limit of
 * that wait.
 */
async function waitInVain(relay: TestRelay): Promise<void> {
  await eventually(() => relay.money.uncommitted() === 1);
  relay.skipMs += settleWaitMs;
}

const charges = (relay: TestRelay) => relay.money.settled.map(({ charge }) => charge);
const givenBack = (relay: TestRelay) => relay.money.reversed.map(({ charge }) => charge);

test("a whole answer that is refused because the store is stuck is given back", async () => {
  const relay = await open(wholeAnswer);
  const client = callStream(relay, { stream: false });
  await waitInVain(relay);
  await eventually(() => client.end() !== undefined);

  expect(client.status()).toBe(503);
  expect(client.text()).toContain('"code":"billing_unavailable"');
  expect(client.text()).toContain("本次调用不收费");
  expect(client.text()).not.toContain('"content":"hi"');
  expect(givenBack(relay)).toEqual([wholeCharge]);
  relay.money.committing = true;
  await eventually(() => charges(relay).length === 1);
});

test("a stream whose text has arrived is charged, however late", async () => {
  const relay = await open(streamHead + wholeStream);
  const client = callStream(relay);
  await waitInVain(relay);
  await eventually(() => client.end() !== undefined);

  expect(client.text()).toContain("Hello");
  expect(client.text()).toContain('"code":"billing_unavailable"');
  expect(givenBack(relay)).toEqual([]);
  relay.money.committing = true;
  await eventually(() => charges(relay).length === 1);
});

test("a stream of which nothing but an error arrived is given back", async () => {
  const usage = event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 0 } });
  const relay = await open(streamHead + role + finish + usage + done);
  const client = callStream(relay);
  await waitInVain(relay);
  await eventually(() => client.end() !== undefined);

  expect(client.text()).toContain("本次调用不收费");
  expect(givenBack(relay)).toEqual([10 * 2]);
});

test("a client that has left before is charged, because nothing is withheld from it", async () => {
  let answerNow = (): void => {};
  const upstream = await startUpstream((socket) => {
    answerNow = () => void socket.write(wholeAnswer);
  });
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url })] });
  stops.push(relay.stop, upstream.stop);
  relay.money.committing = false;
  const client = callStream(relay, { stream: false });
  await eventually(() => upstream.requests.length === 1);
  client.leave();
  await disconnected(relay, 1);
  answerNow();
  await waitInVain(relay);
  await eventually(() => relay.relay.open() === 0);

  expect(givenBack(relay)).toEqual([]);
  relay.money.committing = true;
  await eventually(() => charges(relay).length === 1);
});
