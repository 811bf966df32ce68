/** Responses over a WebSocket: each is a call like any other, whatever the upstream speaks. */

import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import type { JsonObject } from "#base/json.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, type TestRelayOptions } from "./testing/relay.ts";
import { connectResponses, responseId } from "./testing/responses-socket.ts";
import { event, streamHead, wholeCharge, wholeStream, words } from "./testing/stream.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server of the chat format alone, as most compatible ones are. */
const chatOnly: Provider = {
  ...openai,
  formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: true } },
};

type Given = Omit<TestRelayOptions, "channels"> & { readonly provider?: Provider };

/** Opens a relay and an upstream, which answers each call as the test says. */
async function open(
  { provider = chatOnly, ...given }: Given,
  answer: (socket: Socket, body: JsonObject) => void = (socket) =>
    void socket.end(streamHead + wholeStream),
) {
  const bodies: JsonObject[] = [];
  const upstream = await startUpstream((socket, request) => {
    const body = JSON.parse(request.slice(request.indexOf("\r\n\r\n") + 4)) as JsonObject;
    bodies.push(body);
    answer(socket, body);
  });
  const channels = [testChannel({ baseUrl: upstream.url, provider, sharesIds: true })];
  const relay = openTestRelay({ ...given, channels });
  stops.push(relay.stop, upstream.stop);
  return { relay, upstream, bodies };
}

const user = (text: string) => ({ type: "message", role: "user", content: text });
const errorOf = ({ error }: JsonObject): JsonObject => (error ?? {}) as JsonObject;

describe("a response over a WebSocket", () => {
  test("is translated, charged and logged as the same call over HTTP, each under its own request id", async () => {
    const { relay, bodies } = await open({});
    const client = connectResponses(relay.url);
    client.create({ input: [user("hi")] });
    const first = await client.ended();
    client.create({ input: [user("again")] });
    await client.ended(2);

    const [created] = client.events;
    expect(first["type"]).toBe("response.completed");
    expect(client.types()).toContain("response.output_text.delta");
    expect(bodies.map(({ messages }) => messages)).toEqual([
      [{ role: "user", content: "hi" }],
      [{ role: "user", content: "again" }],
    ]);
    expect(relay.money.settled.map(({ charge }) => charge)).toEqual([wholeCharge, wholeCharge]);
    const ids = relay.money.settled.map(({ log }) => log.requestId);
    expect(new Set(ids).size).toBe(2);
    expect(created).toMatchObject({
      type: "response.created",
      headers: { "x-request-id": ids[0] ?? "" },
    });
    expect([relay.money.held, relay.relay.open()]).toEqual([0, 0]);
  });

  test("continues another of the socket, with nothing stored and no id for the upstream", async () => {
    const { relay, bodies } = await open({});
    const client = connectResponses(relay.url);
    client.create({
      generate: false,
      input: [{ type: "message", role: "developer", content: "be brief" }],
    });
    const warm = await client.ended();
    client.create({ previous_response_id: responseId(warm), input: "hi" });
    const first = await client.ended(2);
    client.create({ previous_response_id: responseId(first), input: [user("more")] });
    await client.ended(3);
    // The same response may be continued again.
    client.create({ previous_response_id: responseId(first), input: [user("else")] });
    await client.ended(4);

    const before = [
      { role: "system", content: "be brief" },
      { role: "user", content: "hi" },
      { role: "assistant", content: "Hello there!" },
    ];
    expect(bodies.length).toBe(3);
    expect(bodies[1]?.["messages"]).toEqual([...before, { role: "user", content: "more" }]);
    expect(bodies[2]?.["messages"]).toEqual([...before, { role: "user", content: "else" }]);
    expect(relay.money.settled.length).toBe(3);
  });

  test("has the tools of the items before it, as Codex sends them when it prepares its first turn", async () => {
    const { relay, bodies } = await open({});
    const client = connectResponses(relay.url);
    const tool = { type: "function", name: "f", parameters: { type: "object" } };
    const items = [{ type: "additional_tools", role: "developer", tools: [tool] }];
    client.create({ generate: false, input: items });
    const warm = await client.ended();
    client.create({ previous_response_id: responseId(warm), input: "hi" });
    await client.ended(2);

    const [{ tools = [] } = {}] = bodies;
    // Safe cast: the request of a chat has a list of tools.
    const names = (tools as JsonObject[]).map((each) => (each["function"] as JsonObject)["name"]);
    expect(names).toEqual(["f"]);
  });

  test("that continues one the socket has not seen is refused by the code that clients know", async () => {
    const { relay, bodies } = await open({});
    const client = connectResponses(relay.url);
    for (const fields of [
      { previous_response_id: "resp_of_another", input: "hi" },
      { previous_response_id: "resp_of_another", input: "hi", generate: false },
    ]) {
      client.create(fields);
    }
    await client.ended(2);

    const { events } = client;
    expect(events.map(({ status }) => status)).toEqual([400, 400]);
    expect(events.map((each) => errorOf(each)["code"])).toEqual([
      "previous_response_not_found",
      "previous_response_not_found",
    ]);
    expect([bodies.length, client.closed.length]).toEqual([0, 0]);
  });

  test("names what the upstream's format cannot carry in the head of its first event", async () => {
    const { relay } = await open({});
    const client = connectResponses(relay.url);
    client.create({ input: "hi", truncation: "auto", include: ["message.output_text.logprobs"] });
    await client.ended();

    const { headers } = client.events[0] ?? {};
    expect((headers as JsonObject)["x-tollgate-losses"]).toContain("truncation");
  });

  test("waits for the one before it in its lane; others run beside it, and events name their lane", async () => {
    const waiting: Socket[] = [];
    const { relay, bodies } = await open({}, (socket) => void waiting.push(socket));
    const client = connectResponses(relay.url);
    client.create({ input: "one" });
    client.create({ input: "two" });
    client.create({ input: "side", stream_id: "b" });
    await eventually(() => bodies.length === 2);
    for (const socket of waiting.splice(0)) socket.end(streamHead + wholeStream);
    await client.ended(2);
    await eventually(() => bodies.length === 3);
    for (const socket of waiting.splice(0)) socket.end(streamHead + wholeStream);
    await client.ended(3);

    const said = bodies.map(({ messages }) => JSON.stringify(messages));
    expect(said.map((each) => /"content":"(\w+)"/.exec(each)?.[1])).toEqual(["one", "side", "two"]);
    const lanes = client.events.map(({ stream_id: lane = "" }) => lane);
    expect(new Set(lanes)).toEqual(new Set(["", "b"]));
    expect(client.events.filter(({ stream_id: lane }) => lane === "b").at(-1)?.["type"]).toBe(
      "response.completed",
    );
  });

  test("is refused if too many wait, and the socket goes on", async () => {
    const waiting: Socket[] = [];
    const { relay } = await open({}, (socket) => void waiting.push(socket));
    const client = connectResponses(relay.url);
    for (let count = 0; count < 18; count += 1) client.create({ input: "hi" });
    const refused = await client.ended();

    expect([refused["status"], errorOf(refused)["code"]]).toEqual([429, "too_many_waiting"]);
    expect(client.events.length).toBe(1);
    expect(client.closed).toEqual([]);
  });

  test("that the balance cannot pay for is an error with the status of HTTP", async () => {
    const { relay, bodies } = await open({ balance: 10 });
    const client = connectResponses(relay.url);
    client.create({ input: "hi" });
    const refused = await client.ended();

    expect([refused["type"], refused["status"]]).toEqual(["error", 403]);
    expect(errorOf(refused)).toMatchObject({ code: "insufficient_user_quota" });
    expect(refused["headers"]).toHaveProperty("x-request-id");
    expect([bodies.length, client.closed.length]).toEqual([0, 0]);
  });

  test("ends where the balance ends, charged for what came, and the next is refused", async () => {
    const { relay } = await open({ balance: 1_100 }, (socket) => {
      socket.write(streamHead);
      for (let count = 0; count < 200; count += 1) socket.write(words("word ".repeat(20)));
    });
    const client = connectResponses(relay.url);
    client.create({ input: "hi", max_output_tokens: 100_000 });
    const cut = await client.ended();

    expect([cut["type"], cut["status"]]).toEqual(["error", 403]);
    expect(client.types()).toContain("response.output_text.delta");
    expect(relay.money.settled.length).toBe(1);
    client.create({ input: "hi" });
    expect((await client.ended(2))["status"]).toBe(403);
  });

  test("of an upstream that speaks Responses goes on as it came", async () => {
    const { relay } = await open({ provider: openai }, (socket) => {
      const response = { id: "resp_up", object: "response", status: "completed", store: false };
      const output = [
        { type: "reasoning", id: "rs_1", summary: [] },
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          content: [{ type: "output_text", text: "Hi" }],
        },
      ];
      const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
      socket.end(
        `${streamHead}${event({ type: "response.created", response })}` +
          event({ type: "response.output_text.delta", delta: "Hi", item_id: "msg_1" }) +
          event({ type: "response.completed", response: { ...response, output, usage } }) +
          "data: [DONE]\n\n",
      );
    });
    const client = connectResponses(relay.url);
    client.create({ input: "hi" });
    await client.ended();

    expect(client.types()).toEqual([
      "response.created",
      "response.output_text.delta",
      "response.completed",
    ]);
    expect(relay.money.settled.map(({ charge }) => charge)).toEqual([wholeCharge]);
  });

  test("whose upstream breaks off ends with one error, and is not continued", async () => {
    const { relay } = await open({}, (socket) => {
      socket.write(streamHead + words("Hello"));
      setTimeout(() => socket.destroy(), 20);
    });
    const client = connectResponses(relay.url);
    client.create({ input: "hi" });
    const broken = await client.ended();

    expect([broken["status"], errorOf(broken)["code"]]).toEqual([502, "stream_interrupted"]);
    expect(client.types().filter((type) => type === "error" || type === "response.failed")).toEqual(
      ["error"],
    );
    expect(client.closed).toEqual([]);
  });
});
