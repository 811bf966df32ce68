/** Stop sequences that upstreams do not take, and several answers of which one would come back. */

import { describe, expect, test } from "bun:test";
import { gemini } from "#providers/gemini.ts";
import {
  ask,
  chatOnly,
  chatText,
  eventsOf,
  jsonOf,
  requests,
  responsesOnly,
} from "./testing/translated.ts";

describe("stop sequences beyond those that an upstream takes", () => {
  const many = ["STOP1", "STOP2", "STOP3", "STOP4", "\nObservation:", "END"];
  const spoken = ["I look it ", "up.\nObser", "vation", ": it rains", " and more"];
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: "c",
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const usage = { prompt_tokens: 10, completion_tokens: 50, total_tokens: 60 };
  const chatStream = () =>
    eventsOf(
      ...spoken.map((content) => chunk({ content })),
      chunk({
        tool_calls: [{ index: 0, id: "c", function: { name: "weather", arguments: "{}" } }],
      }),
      chunk({}, "tool_calls"),
      { id: "c", model: "m", choices: [], usage },
    );
  const responsesWhole = () =>
    jsonOf({
      id: "resp_1",
      object: "response",
      status: "completed",
      output: [
        { type: "message", id: "m", content: [{ type: "output_text", text: spoken.join("") }] },
      ],
      usage: { input_tokens: 10, output_tokens: 50, total_tokens: 60 },
    });

  test("cut a stream in the gateway, wherever the pieces end", async () => {
    const more = { stream: true, stop_sequences: many };
    const body = requests["/v1/messages"](more);
    const { relay, sent, text, losses } = await ask(chatOnly, chatStream, "/v1/messages", body);

    expect(JSON.parse(sent)).toMatchObject({ stop: many.slice(0, 4) });
    const said = [...text.matchAll(/"text_delta","text":"([^"]*)"/g)].map(([, piece]) => piece);
    expect(said.join("")).toBe("I look it up.");
    expect(text).toContain('"stop_reason":"stop_sequence","stop_sequence":"\\nObservation:"');
    expect([text.includes("weather"), losses]).toEqual([false, ""]);
    // What the upstream has written behind it is charged as it reports it: 10 at 2 units, 50 at 8.
    expect(relay.money.settled.map(({ charge }) => charge)).toEqual([420]);
  });

  test("cut whole answers of upstreams that take none at all", async () => {
    for (const [path, more, end] of [
      ["/v1/chat/completions", { stop: "\nObservation:" }, '"finish_reason":"stop"'],
      ["/v1/messages", { stop_sequences: many }, '"stop_reason":"stop_sequence"'],
    ] as const) {
      const asked = requests[path](more);
      const { sent, text, losses } = await ask(responsesOnly, responsesWhole, path, asked);
      expect(sent).not.toContain("stop");
      expect(text).toContain('"I look it up."');
      expect([text.includes(end), text.includes("rains"), losses]).toEqual([true, false, ""]);
    }
  });

  test("keep nothing back that only begins like one", async () => {
    const answer = () => chatText("It ends\nObservation");
    const body = requests["/v1/messages"]({ stop_sequences: many });
    const { text } = await ask(chatOnly, answer, "/v1/messages", body);
    expect(text).toContain('"It ends\\nObservation"');
    expect(text).toContain('"stop_reason":"end_turn"');
  });
});

test("several answers are refused where one would come back, so that none is paid and dropped", async () => {
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];
  const cases = [
    [
      chatOnly,
      "/v1beta/models/m:generateContent",
      { contents, generationConfig: { candidateCount: 2 } },
    ],
    [gemini, "/v1/chat/completions", requests["/v1/chat/completions"]({ n: 2 })],
    [responsesOnly, "/v1/chat/completions", requests["/v1/chat/completions"]({ n: 2 })],
  ] as const;
  for (const [provider, path, body] of cases) {
    const { status, sent, text, relay } = await ask(provider, () => chatText("ok"), path, body);
    expect([status, sent]).toEqual([400, ""]);
    expect(text).toContain("one answer");
    expect(relay.money.settled).toEqual([]);
  }
});
