/** How each format of clients writes a conversation. */

import type { Json, JsonObject } from "#base/json.ts";
import type { TranslatedClientId } from "#test/recordings/played.ts";
import type { Conversation } from "./conversations.ts";

type Write = (conversation: Conversation) => JsonObject;

/** How each format of clients writes a conversation: a format without a line fails the suite. */
export const writers: Readonly<Record<TranslatedClientId, Write>> = {
  "anthropic-messages": writeMessages,
  "gemini-generate": writeContents,
  "openai-chat": writeChat,
  "openai-responses": writeResponse,
};

const parsed = (args: string): Json => {
  try {
    return JSON.parse(args) as Json; // Safe cast: JSON.parse makes nothing else
  } catch {
    return {};
  }
};

function writeChat({ turns, tools, schema, stops, more }: Conversation): JsonObject {
  const messages = turns.map((turn): JsonObject => {
    switch (turn.kind) {
      case "call": {
        const called = { name: turn.name, arguments: turn.args };
        const calls = [{ id: turn.id, type: "function", function: called }];
        return { role: "assistant", content: null, tool_calls: calls };
      }
      case "result":
        return { role: "tool", tool_call_id: turn.id, content: turn.text };
      case "reasoning":
        return { role: "assistant", content: "", reasoning_content: turn.text };
      case "picture": {
        const url = `data:image/png;base64,${turn.data}`;
        return { role: "user", content: [{ type: "image_url", image_url: { url } }] };
      }
      default:
        return {
          role: turn.kind === "model" ? "assistant" : turn.kind,
          content: turn.texts.map((each) => ({ type: "text", text: each })),
        };
    }
  });
  return {
    model: "m",
    messages,
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ name, schema: parameters }) => ({
            type: "function",
            function: { name, description: "d", parameters },
          })),
        }),
    ...(schema === undefined
      ? {}
      : {
          response_format: { type: "json_schema", json_schema: { name: "a", schema } },
        }),
    ...(stops === undefined ? {} : { stop: stops }),
    ...more,
  };
}

function writeMessages({ turns, tools, stops, more }: Conversation): JsonObject {
  const system = turns.flatMap((turn) => (turn.kind === "system" ? turn.texts : []));
  const messages = turns.flatMap((turn): JsonObject[] => {
    switch (turn.kind) {
      case "system":
        return [];
      case "call": {
        const block = { type: "tool_use", id: turn.id, name: turn.name, input: parsed(turn.args) };
        return [{ role: "assistant", content: [block] }];
      }
      case "result": {
        const content = [{ type: "text", text: turn.text }];
        return [
          { role: "user", content: [{ type: "tool_result", tool_use_id: turn.id, content }] },
        ];
      }
      case "reasoning": {
        const block = { type: "thinking", thinking: turn.text, signature: "c2ln" };
        return [{ role: "assistant", content: [block] }];
      }
      case "picture": {
        const source = { type: "base64", media_type: "image/png", data: turn.data };
        return [{ role: "user", content: [{ type: "image", source }] }];
      }
      default:
        return [
          {
            role: turn.kind === "model" ? "assistant" : turn.kind,
            content: turn.texts.map((each) => ({ type: "text", text: each })),
          },
        ];
    }
  });
  return {
    model: "m",
    max_tokens: 10,
    ...(system.length === 0
      ? {}
      : { system: system.map((each) => ({ type: "text", text: each })) }),
    messages,
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ name, schema }) => ({
            name,
            description: "d",
            input_schema: schema,
          })),
        }),
    ...(stops === undefined ? {} : { stop_sequences: stops }),
    ...more,
  };
}

function writeResponse({ turns, tools, schema, more }: Conversation): JsonObject {
  const input = turns.map((turn): JsonObject => {
    switch (turn.kind) {
      case "call":
        return { type: "function_call", call_id: turn.id, name: turn.name, arguments: turn.args };
      case "result":
        return { type: "function_call_output", call_id: turn.id, output: turn.text };
      case "reasoning":
        return {
          type: "reasoning",
          summary: [{ type: "summary_text", text: turn.text }],
          encrypted_content: "c2ln",
        };
      case "picture": {
        const image_url = `data:image/png;base64,${turn.data}`;
        return { role: "user", content: [{ type: "input_image", image_url }] };
      }
      default:
        return {
          role: turn.kind === "model" ? "assistant" : turn.kind,
          content: turn.texts.map((each) => ({
            type: turn.kind === "model" ? "output_text" : "input_text",
            text: each,
          })),
        };
    }
  });
  return {
    model: "m",
    input,
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ name, schema: parameters }) => ({
            type: "function",
            name,
            parameters,
          })),
        }),
    ...(schema === undefined
      ? {}
      : {
          text: { format: { type: "json_schema", name: "a", schema } },
        }),
    ...more,
  };
}

function writeContents({ turns, tools, schema, stops, more }: Conversation): JsonObject {
  const system = turns.flatMap((turn) => (turn.kind === "system" ? turn.texts : []));
  const contents = turns.flatMap((turn): JsonObject[] => {
    switch (turn.kind) {
      case "system":
        return [];
      case "call":
        return [
          {
            role: "model",
            parts: [{ functionCall: { id: turn.id, name: turn.name, args: parsed(turn.args) } }],
          },
        ];
      case "result":
        return [
          {
            role: "user",
            parts: [{ functionResponse: { id: turn.id, name: "t", response: { a: turn.text } } }],
          },
        ];
      case "reasoning":
        return [
          { role: "model", parts: [{ text: turn.text, thought: true, thoughtSignature: "c2ln" }] },
        ];
      case "picture":
        return [
          { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: turn.data } }] },
        ];
      default:
        return [{ role: turn.kind, parts: turn.texts.map((each) => ({ text: each })) }];
    }
  });
  return {
    ...(system.length === 0
      ? {}
      : {
          systemInstruction: { parts: system.map((each) => ({ text: each })) },
        }),
    contents,
    ...(tools === undefined
      ? {}
      : {
          tools: [
            {
              functionDeclarations: tools.map(({ name, schema: parameters }) => ({
                name,
                description: "d",
                parametersJsonSchema: parameters,
              })),
            },
          ],
        }),
    generationConfig: {
      ...(stops === undefined ? {} : { stopSequences: stops }),
      ...(schema === undefined
        ? {}
        : {
            responseMimeType: "application/json",
            responseJsonSchema: schema,
          }),
    },
    ...more,
  };
}
