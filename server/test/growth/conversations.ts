/**
 * Conversations that are as hard as a client can make them. A family is written once and asked in
 * every format (`writers.ts`).
 */

import type { Json, JsonObject } from "#base/json.ts";

type Turn =
  | { readonly kind: "system" | "user" | "model"; readonly texts: readonly string[] }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly args: string }
  | { readonly kind: "result"; readonly id: string; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "picture"; readonly data: string };

type Tool = { readonly name: string; readonly schema: JsonObject };

export type Conversation = {
  readonly turns: readonly Turn[];
  readonly tools?: readonly Tool[];
  readonly schema?: JsonObject;
  readonly stops?: readonly string[];
  /** Fields that no format knows. */
  readonly more?: JsonObject;
};

type Make = (bytes: number) => Conversation;

const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, index) => make(index));

const say = (kind: "model" | "system" | "user", ...texts: string[]): Turn => ({ kind, texts });
const hello = say("user", "hello");
const call = (id: string, args = "{}", name = "t"): Turn => ({ kind: "call", id, name, args });
const result = (id: string, text = "r"): Turn => ({ kind: "result", id, text });
const filled = (bytes: number, piece: string): string => piece.repeat(bytes / piece.length);
const talk = (bytes: number, piece: string): Conversation => ({
  turns: [hello, say("user", filled(bytes, piece))],
});
const tool = (schema: JsonObject, name = "t"): Tool => ({ name, schema });
const object = (names: readonly string[], each: (name: string) => Json): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, each(name)])),
});
const refer = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const text = { type: "string" };

function deep(depth: number, inside: Json, wrap: (value: Json) => Json): Json {
  let value = inside;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

/** About what a message, a call with its result, and a schema of one property take in bytes. */
const [messageBytes, callBytes, propertyBytes] = [64, 160, 32];

export const conversations: Readonly<Record<string, Make>> = {
  "a long mark of the conversation": (bytes) => ({
    turns: [hello, say("model", "hello"), hello],
    more: { metadata: { user_id: filled(bytes / 2, "session_") }, session_id: "" },
  }),
  "a long mark in an object in a text": (bytes) => ({
    turns: [hello, say("model", "hello"), hello],
    more: { metadata: { user_id: `{"a":"${filled(bytes / 2, "session_id")}"}` } },
  }),
  "a word for answers in every text": (bytes) => ({
    turns: many(bytes / 40, () => say("user", '"assistant" "model"')),
  }),
  "one long word": (bytes) => talk(bytes, "a"),
  "nothing but spaces": (bytes) => talk(bytes, " "),
  "nothing but line breaks": (bytes) => talk(bytes, "\n"),
  "a text of brackets": (bytes) => talk(bytes, '[{"'),
  "a text of escapes": (bytes) => talk(bytes, '\\"'),
  "a text of letters that are written as escapes": (bytes) => talk(bytes / 6, "\u0001"),
  "a text of halves of characters": (bytes) => talk(bytes / 6, "\ud83d"),
  "a text of letters beyond Latin": (bytes) => talk(bytes / 3, "中"),
  "a text of tags": (bytes) => talk(bytes, "<think>"),
  "a text of beginnings of files": (bytes) => talk(bytes, "data:image/png;base64,"),
  "messages of both sides": (bytes) => ({
    turns: many(bytes / messageBytes, (index) => say(index % 2 === 0 ? "user" : "model", "a")),
  }),
  "messages of one side": (bytes) => ({
    turns: many(bytes / messageBytes, () => say("user", "a")),
  }),
  "messages of the model alone": (bytes) => ({
    turns: [hello, ...many(bytes / messageBytes, () => say("model", "a"))],
  }),
  "system messages between others": (bytes) => ({
    turns: many(bytes / messageBytes, (index) => say(index % 2 === 0 ? "user" : "system", "a")),
  }),
  "system messages alone": (bytes) => ({
    turns: [...many(bytes / messageBytes, () => say("system", "a")), hello],
  }),
  "parts of one message": (bytes) => ({
    turns: [say("user", ...many(bytes / messageBytes, () => "a"))],
  }),
  "calls of one id, each with its result": (bytes) => ({
    turns: [hello, ...many(bytes / callBytes, () => [call("same"), result("same")]).flat()],
    tools: [tool(object(["a"], () => text))],
  }),
  "calls of one id in one turn": (bytes) => ({
    turns: [
      hello,
      ...many(bytes / callBytes, () => call("same")),
      ...many(bytes / callBytes, () => result("same")),
    ],
  }),
  "calls of one id, the last with long arguments": (bytes) => ({
    turns: [
      hello,
      ...many(bytes / callBytes / 2, () => [call("same"), result("same")]).flat(),
      call("same", JSON.stringify({ a: filled(bytes / 2, "a") })),
      result("same"),
    ],
  }),
  "calls in one turn, answered in reverse": (bytes) => ({
    turns: [
      hello,
      ...many(bytes / callBytes, (index) => call(`call_${index}`)),
      ...many(bytes / callBytes, (index) => result(`call_${index}`)).toReversed(),
    ],
  }),
  "results without a call": (bytes) => ({
    turns: [
      hello,
      ...many(bytes / callBytes, (index) => call(`call_${index}`)),
      ...many(bytes / callBytes, (index) => result(`other_${index}`)),
    ],
  }),
  "calls without a result": (bytes) => ({
    turns: [hello, ...many(bytes / callBytes, (index) => call(`c ${index}`)), hello],
  }),
  "calls without an id": (bytes) => ({
    turns: [hello, ...many(bytes / callBytes, () => [call(""), result("")]).flat()],
  }),
  "calls with a long id": (bytes) => ({
    turns: [
      hello,
      ...many(bytes / callBytes / 4, (index) => {
        const id = `${filled(200, "é")}${index % 7}`;
        return [call(id), result(id)];
      }).flat(),
    ],
  }),
  "calls and reasoning by turns": (bytes) => ({
    turns: [
      hello,
      ...many(bytes / callBytes, (index): Turn[] => [
        { kind: "reasoning", text: "so" },
        call(`c${index}`),
        result(`c${index}`),
      ]).flat(),
    ],
  }),
  "arguments of many keys": (bytes) => ({
    turns: [
      hello,
      call(
        "c",
        JSON.stringify(Object.fromEntries(many(bytes / 16, (index) => [`k${index}`, 1.5]))),
      ),
      result("c"),
    ],
  }),
  "arguments of long numbers": (bytes) => ({
    turns: [
      hello,
      call("c", JSON.stringify({ a: 0 }).replace("0", `[${filled(bytes, "1.00,")}0]`)),
    ],
  }),
  "arguments that nest": (bytes) => ({
    turns: [
      hello,
      ...many(bytes / 256, (index) => {
        const args = JSON.stringify(deep(40, 1, (value) => ({ a: value })));
        return [call(`c${index}`, args), result(`c${index}`, args)];
      }).flat(),
    ],
  }),
  "arguments that nest beyond measure": (bytes) => ({
    turns: [hello, call("c", filled(bytes, "[")), result("c", filled(bytes, "["))],
  }),
  "results of JSON": (bytes) => ({
    turns: [hello, call("c"), result("c", `{"a":[${filled(bytes, "1.0,")}1]}`)],
  }),
  "results of JSON objects": (bytes) => ({
    turns: [
      hello,
      ...many(bytes / 4_096, (index) => [
        call(`c${index}`),
        result(`c${index}`, `{"a":[${filled(4_096, "1.0,")}1]}`),
      ]).flat(),
    ],
  }),
  "tools of one name": (bytes) => ({
    turns: [hello],
    tools: many(bytes / 128, () => tool(object(["a"], () => text))),
  }),
  "tools of many names": (bytes) => ({
    turns: [hello],
    tools: many(bytes / 128, (index) =>
      tool(
        object(["a"], () => text),
        `t${index}`,
      ),
    ),
  }),
  "tools of names that no upstream takes": (bytes) => ({
    turns: [hello],
    tools: many(bytes / 128, (index) =>
      tool(
        object(["a"], () => text),
        `t.${index}/${index % 7}`,
      ),
    ),
  }),
  "a tool whose root joins many parts": (bytes) => ({
    turns: [hello],
    tools: [tool({ allOf: many(bytes / 64, (index) => object([`p${index % 99}`], () => text)) })],
  }),
  "a tool whose root has many alternatives": (bytes) => ({
    turns: [hello],
    tools: [
      tool({
        anyOf: many(bytes / 64, (index) => ({
          ...object(["a", `p${index}`], () => ({ const: index })),
          required: ["a"],
        })),
      }),
    ],
  }),
  "a tool whose root refers twice to each next part": (bytes) => {
    const $defs = Object.fromEntries(
      many(bytes / 80, (index) => {
        const next = refer(`d${index + 1}`);
        return [`d${index}`, { allOf: [next, next] }];
      }),
    );
    return { turns: [hello], tools: [tool({ ...refer("d0"), $defs })] };
  },
  "a tool of many properties": (bytes) => ({
    turns: [hello],
    tools: [
      tool(
        object(
          many(bytes / propertyBytes, (index) => `p${index}`),
          () => text,
        ),
      ),
    ],
  }),
  "a tool with a long name": (bytes) => ({
    turns: [hello, call("c", "{}", filled(bytes / 2, "n"))],
    tools: [
      tool(
        object(["a"], () => text),
        filled(bytes / 2, "n"),
      ),
    ],
  }),
  "a tool with a long name beyond Latin": (bytes) => ({
    turns: [hello, call("c", "{}", filled(bytes / 6, "é"))],
    tools: [
      tool(
        object(["a"], () => text),
        filled(bytes / 6, "é"),
      ),
    ],
  }),
  "schemas that nest": (bytes) => ({
    turns: [hello],
    tools: many(bytes / 1_024, (index) =>
      tool(
        deep(20, text, (value) => ({ type: "object", properties: { a: value } })) as JsonObject,
        `t${index}`,
      ),
    ),
  }),
  "a schema that refers to itself": (bytes) => {
    const names = many(bytes / 48, (index) => `p${index}`);
    return {
      turns: [hello],
      tools: [tool({ ...refer("node"), $defs: { node: object(names, () => refer("node")) } })],
    };
  },
  "schemas that refer to one another": (bytes) => {
    const steps = 6;
    const names = many(bytes / 48 / steps, (index) => `p${index}`);
    const defs = many(steps, (step) => [`s${step}`, object(names, () => refer(`s${step + 1}`))]);
    return {
      turns: [hello],
      tools: [tool({ ...refer("s0"), $defs: { ...Object.fromEntries(defs), s6: text } })],
    };
  },
  "a schema of many parts": (bytes) => ({
    turns: [hello],
    tools: [
      tool({
        allOf: many(bytes / 96, (index) => ({
          ...object([`p${index}`], () => text),
          required: [`p${index}`],
        })),
      }),
    ],
    schema: {
      type: "object",
      anyOf: many(bytes / 96, (index) => object([`p${index}`], () => text)),
    },
  }),
  "an answer of many properties": (bytes) => ({
    turns: [hello],
    schema: object(
      many(bytes / propertyBytes, (index) => `p${index}`),
      () => text,
    ),
  }),
  pictures: (bytes) => ({
    turns: [hello, ...many(bytes / 128, () => ({ kind: "picture", data: "aW1hZ2U=" }) as const)],
  }),
  "a large picture": (bytes) => ({
    turns: [hello, { kind: "picture", data: filled(bytes, "aW1hZ2U0") }],
  }),
  "stop sequences": (bytes) => ({
    turns: [hello],
    stops: many(bytes / 12, (index) => `s${index}`),
  }),
  "unknown fields": (bytes) => ({
    turns: [hello],
    more: Object.fromEntries(many(bytes / 20, (index) => [`unknown_${index}`, 1])),
  }),
  "unknown fields with long names": (bytes) => ({
    turns: [hello],
    more: Object.fromEntries(many(4, (index) => [`${filled(bytes / 4, "u")}${index}`, 1])),
  }),
};
