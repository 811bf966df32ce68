/** Upstreams that send a stream where none was asked for, or none where one was. */

import { afterEach, expect, test } from "bun:test";
import type { Provider } from "#providers/provider.ts";
import {
  answers,
  ask,
  charges,
  clients,
  data,
  jsonHead,
  type Kind,
  kinds,
  openAnswering,
  said,
  textOfStream,
} from "./testing/both-modes.ts";
import type { TestRelay, TestRelayOptions } from "./testing/relay.ts";
import { streamHead } from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const open = (
  kind: Kind | Provider,
  answer: string,
  given: Omit<TestRelayOptions, "channels"> = {},
): Promise<TestRelay> => openAnswering(stops, kind, answer, given);

for (const upstream of kinds) {
  for (const client of kinds) {
    const pair = `${client} client, ${upstream} upstream`;

    test(`${pair}: a stream that nobody asked for is the whole answer, at its price`, async () => {
      const { stream, whole } = answers[upstream];
      const usual = await open(upstream, jsonHead(JSON.stringify(whole)));
      expect(clients[client].text((await (await ask(usual, client, false)).json()) as never)).toBe(
        said,
      );
      const relay = await open(upstream, streamHead + stream);
      const answer = await ask(relay, client, false);
      const body = (await answer.json()) as never;

      expect(answer.status, JSON.stringify(body)).toBe(200);
      expect(answer.headers.get("content-type")).toContain("application/json");
      expect(clients[client].text(body)).toBe(said);
      expect(charges(relay)).toEqual(charges(usual));
      expect(charges(relay)).not.toEqual([0]);
    });

    test(`${pair}: a whole answer to who asked for a stream is a stream, at its price`, async () => {
      const { stream, whole } = answers[upstream];
      const usual = await open(upstream, streamHead + stream);
      expect(textOfStream(client, await (await ask(usual, client, true)).text())).toBe(said);
      const relay = await open(upstream, jsonHead(JSON.stringify(whole)));
      const answer = await ask(relay, client, true);
      const text = await answer.text();

      expect(answer.headers.get("content-type"), text).toContain("text/event-stream");
      expect(textOfStream(client, text)).toBe(said);
      expect(charges(relay)).toEqual(charges(usual));
      expect(relay.money.settled.map(({ log }) => log.interrupted)).toEqual([""]);
    });
  }

  test(`${upstream}: what an answer is shows in its bytes, whatever its media type says`, async () => {
    const { stream, whole } = answers[upstream];
    const asStream = await open(upstream, jsonHead(JSON.stringify(whole), "text/event-stream"));
    expect(textOfStream(upstream, await (await ask(asStream, upstream, true)).text())).toBe(said);
    const asJson = await open(upstream, jsonHead(stream));
    expect(textOfStream(upstream, await (await ask(asJson, upstream, true)).text())).toBe(said);
    const asWhole = await open(upstream, jsonHead(stream));
    expect(
      clients[upstream].text((await (await ask(asWhole, upstream, false)).json()) as never),
    ).toBe(said);
  });

  test(`${upstream}: an error in the other mode is an error, and free`, async () => {
    const error = { error: { message: "no such thing", type: "server_error", code: "broken" } };
    const cut = answers[upstream].stream.slice(0, answers[upstream].stream.length / 3);
    for (const [body, isStream] of [
      [jsonHead(JSON.stringify(error)), true],
      [jsonHead("<html>maintenance</html>", "text/html"), true],
      [jsonHead('"nothing"'), true],
      [streamHead + data(error), false],
      [streamHead + cut, false],
    ] as const) {
      const relay = await open(upstream, body);
      const answer = await ask(relay, upstream, isStream);
      expect(answer.status, `${body} ${await answer.text()}`).toBeGreaterThanOrEqual(400);
      expect(charges(relay)).toEqual([]);
      expect(relay.failures).toHaveLength(1);
    }
  });
}
