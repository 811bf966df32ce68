/**
 * Sessions of the Live API at Vertex, through the relay to the demo upstream: for clients of Google
 * AI and of Vertex, by a service account or an API key, each turn held for and charged.
 */

import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "bun:test";
import { eventually } from "#test/upstreams/client.ts";
import { gemini } from "#providers/gemini.ts";
import { vertex } from "#providers/vertex.ts";
import { connect, setup, startLiveScene } from "./live-scene.ts";

const { demo, open, stops, talk } = startLiveScene();

/** What a turn costs: 100 tokens read at 2 units, and five of sound said at 80. */
const turnCost = 100 * 2 + 5 * 80;

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const account = (tokenUrl: string): string =>
  JSON.stringify({
    type: "service_account",
    project_id: "my-project",
    private_key_id: "k1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: "robot@my-project.iam.gserviceaccount.com",
    token_uri: tokenUrl,
  });

const livePath = "/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent";

/** Serves sessions that begin and say nothing, and keeps what it was asked. */
function startListener() {
  const asked: { readonly path: string; readonly key: string }[] = [];
  const setups: unknown[] = [];
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, server) {
      const { headers, url } = request;
      const { pathname, search } = new URL(url);
      const key = headers.get("authorization") ?? headers.get("x-goog-api-key") ?? "";
      asked.push({ path: pathname + search, key });
      return server.upgrade(request) ? undefined : new Response("no", { status: 400 });
    },
    websocket: {
      message(socket, message) {
        setups.push(JSON.parse(String(message)).setup.model);
        socket.send('{"setupComplete":{}}');
      },
    },
  });
  stops.push(() => upstream.stop(true));
  return { asked, setups, baseUrl: `http://127.0.0.1:${upstream.port}` };
}

for (const [kind, key] of [
  ["a service account", account(`${demo.url}/token`)],
  ["an API key", "AQ.express-key"],
] as const) {
  for (const [client, version] of [
    ["Google AI", "v1beta"],
    ["Google AI's alpha", "v1alpha"],
    ["Vertex", "v1beta1"],
  ] as const) {
    test(`a client of ${client} talks through a Vertex channel with ${kind}, charged turn by turn`, async () => {
      const channel = { provider: vertex, keys: [key], other: "us-central1" };
      const relay = await open({ cachedTokens: 20 }, { channel });
      const { ask, heard, session, turns } = await talk(relay, {}, version);
      ask("hello");
      await eventually(() => turns() === 1);
      ask("and again");
      await eventually(() => turns() === 2);
      session.close();
      await eventually(() => relay.money.held === 0);

      const cost = turnCost - 20 * 2 + 20;
      const bills = relay.money.settled.map(({ charge, log }) => [charge, log.usageSource]);
      expect(bills).toEqual([
        [cost, "upstream"],
        [cost, "upstream"],
      ]);
      expect(new Set(relay.money.settled.map(({ log }) => log.requestId)).size).toBe(2);
      // The client reads the counts by the names that its own API has for them.
      const counts = heard.flatMap(({ usageMetadata }) => usageMetadata?.responseTokenCount ?? []);
      expect(counts).toEqual([5, 5]);
      expect(demo.account().calls.map(({ model }) => model)).toEqual([
        "live-upstream",
        "live-upstream",
      ]);
    });
  }
}

test("a client of Vertex talks through a channel of Google AI, and reads its counts", async () => {
  const relay = await open({}, { channel: { provider: gemini } });
  const { ask, heard, turns } = await talk(relay, {}, "v1beta1");
  ask("hello");
  await eventually(() => turns() === 1);

  expect(relay.money.settled.map(({ charge }) => charge)).toEqual([turnCost]);
  const counts = heard.flatMap(({ usageMetadata }) => usageMetadata?.responseTokenCount ?? []);
  expect(counts).toEqual([5]);
});

test("a service account's session names project and place of the model, and asks for one token", async () => {
  const { asked, baseUrl, setups } = startListener();
  const keys = [account(`${demo.url}/token`)];
  const channel = { baseUrl, provider: vertex, keys, other: '{"live-upstream":"europe-west4"}' };
  const relay = await open({}, { channel });
  await talk(relay);
  await talk(relay);

  const token = "Bearer ya29.demo.robot@my-project.iam.gserviceaccount.com";
  expect(asked).toEqual([
    { path: livePath, key: token },
    { path: livePath, key: token },
  ]);
  const name = "projects/my-project/locations/europe-west4/publishers/google/models/live-upstream";
  expect(setups).toEqual([name, name]);
});

test("an API key's session names the model without a project, and the key stands in the header", async () => {
  const { asked, baseUrl, setups } = startListener();
  const relay = await open({}, { channel: { baseUrl, provider: vertex, keys: ["AQ.express"] } });
  await talk(relay);

  expect(asked).toEqual([{ path: livePath, key: "AQ.express" }]);
  expect(setups).toEqual(["publishers/google/models/live-upstream"]);
});

test("a service account that gets no token leaves nothing held, and ends the session with 1011", async () => {
  const keys = [account(`${demo.url}/no-token`)];
  const relay = await open({}, { channel: { provider: vertex, keys } });
  const { closes } = connect(relay, setup);
  await eventually(() => closes.length === 1);

  expect(closes[0]).toStartWith("1011 ");
  expect([relay.money.held, relay.money.released, relay.attempts.length]).toEqual([0, 2, 1]);
});
