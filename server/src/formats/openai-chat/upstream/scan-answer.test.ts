import { expect, test } from "bun:test";
import type { AnswerScanner } from "#formats/format.ts";
import { openScanner } from "./scan-answer.ts";

function scan(scanner: AnswerScanner, payload: string) {
  const bytes = Buffer.from(payload);
  scanner.scanEvent(bytes, 0, bytes.length);
  const { texts, choices, issued, ...found } = scanner.found;
  const text: string[] = [];
  for (let at = 0; at < texts.length; at += 2) {
    text.push(bytes.subarray(texts[at], texts[at + 1]).toString());
  }
  return { ...found, text, choices: [...choices], issued: [...(issued ?? [])] };
}

const id = '{"id":"c","object":"chat.completion.chunk","choices":[';

// The scanner remembers how events begin, and skips the same beginning in later ones. The result
// must not depend on that.
test("an event reads the same by itself as after any other", () => {
  const events = [
    `${id}{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`,
    `${id}{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}],"usage":null}`,
    `${id}{"index":0,"delta":{}}]}`,
    `${id}{"index":0,"delta":5}]}`,
    `${id}{"index":0,"delta":{"content":"c"}},{"index":1,"delta":{"content":"d"}}]}`,
    `${id}{"index":2,"delta":{"content":"e"},"finish_reason":"length"}],"usage":{"a":1}}`,
    `${id}{"index":2,"delta":{"content":"f"}}],"x_groq":{"usage":{"b":1}}}`,
    `${id}{"finish_reason":"stop","delta":{"content":"g"},"index":3}]}`,
    `${id}{"text":"h","delta":{"content":"i"}}]}`,
    `${id}]}`,
    `${id}{"index":0,"delta":{"content":"j"}`,
    `${id}{"index":0,"delta":`,
    `{"usage":{"c":1},"choices":[{"index":0,"delta":{"content":"k"}}]}`,
    `{"error":{"m":1},"choices":[{"index":0,"delta":{"content":"l"}}]}`,
    `{"message":"m","choices":[{"index":0,"delta":{"content":"m"}}]}`,
    `{"choices":[{"index":0,"delta":{"content":"n"}}],"choices":[{"index":0,"delta":{}}]}`,
    `{"choices":[{"index":4,"delta":{"content":"${"o".repeat(600)}"}}]}`,
    `{"pad":"${"p".repeat(600)}","choices":[{"index":0,"delta":{"content":"q"}}]}`,
    `${id}{"index":0,"delta":{"content":""},"finish_reason":null}]}`,
    `${id}{"index":0,"delta":{"content":"r\\"},\\"x\\":{"},"finish_reason":null}]}`,
    `${id}{"index":0,"delta":{"content":"s\\\\"},"finish_reason":null}]}`,
    `${id}{"index":0,"delta":{"content":"t","refusal":""},"finish_reason":null}]}`,
    `${id}{"index":0,"delta":{"content":"u","refusal":"v"},"finish_reason":null}]}`,
    `${id}{"index":0,"delta":{"content":null,"reasoning_content":"w"},"finish_reason":null}]}`,
    `${id}{"index":0,"delta":{"content":"x","reasoning_content":"y"},"finish_reason":null}]}`,
    `${id}{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"z"}}]}}]}`,
    `${id}{"index":0,"delta":{"audio":{"id":"s","transcript":"a"}}}]}`,
    `${id}{"index":0,"delta":{"content":"b"}}],"service_tier":"priority"}`,
    `${id}{"index":0,"delta":{"content":"d"},"error":{"m":1}}]}`,
    `${id}{"index":0,"delta":{"content":"e"}},{"index":0,"delta":{}}]}`,
    `${id}{"index":0,"delta":{"content":"f"},"finish_reason":null}]}}`,
    `${id}{"index":0,"delta":{"content":"g" ,"finish_reason":null}]}`,
    "[DONE]",
    "[DONE] x",
  ];
  const alone = events.map((event) => scan(openScanner(), event));
  for (const before of events) {
    for (const [index, event] of events.entries()) {
      const scanner = openScanner();
      scan(scanner, before);
      scan(scanner, before);
      expect<unknown>(scan(scanner, event), `${event} after ${before}`).toEqual(alone[index]);
    }
  }
});

test("anything but JSON is reported as malformed", () => {
  const broken = ["{", '{"a"', `${id}{]}`, `${id}]} x`, `${id}{"delta":{"content":"a}}]}`];
  for (const payload of broken) expect(scan(openScanner(), payload).malformed).toBe(true);
  for (const payload of ["", "ping", "[1]", `${id}]} \t`]) {
    expect(scan(openScanner(), payload).malformed).toBe(false);
  }
});

test("text in an answer cannot pose as its keys", () => {
  const text = JSON.stringify(
    '"usage":{"prompt_tokens":9},"error":{"message":"x"},"finish_reason":"stop"',
  );
  const found = scan(openScanner(), `${id}{"index":0,"delta":{"content":${text}}}]}`);

  expect(found).toMatchObject({ usageStart: -1, errorSuspected: false, choices: [0, 0] });
});
