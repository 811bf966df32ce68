import { expect, test } from "bun:test";
import { defaultSampling, noHints } from "#canonical/request.ts";
import { openAnswerEvents } from "./answer-events.ts";
import { openToolRestorer } from "./restore-tools.ts";

// Agents give free text to some of their tools, which most formats do not know. The tool would get
// JSON instead of its text.
test("a function that stands for a custom tool becomes a call with free text again", () => {
  const restore = openToolRestorer({
    model: "m",
    items: [],
    tools: [{ type: "custom", name: "patch", description: "", grammar: null }],
    toolChoice: null,
    parallelToolCalls: null,
    limits: { maxOutputTokens: null, stopSequences: [], count: 1 },
    sampling: defaultSampling,
    reasoning: null,
    output: null,
    media: null,
    hints: noHints,
    stream: true,
  });
  const events = openAnswerEvents();
  events.toolCall({ callId: "a", name: "patch" });
  events.args('{"input":"*** Begin');
  events.args(' Patch"}');
  events.toolCall({ callId: "b", name: "read" });
  events.args('{"path":"x"}');
  events.endItem();

  const restored = restore(events.take()).flatMap((event) => {
    if (event.type === "arguments") return [event.text];
    return event.type === "item-end" && event.item.type === "tool-call"
      ? [`${event.item.form}: ${event.item.argsText}`]
      : [];
  });

  expect(restored).toEqual([
    "*** Begin Patch",
    "text: *** Begin Patch",
    '{"path":"x"}',
    'json: {"path":"x"}',
  ]);
});
