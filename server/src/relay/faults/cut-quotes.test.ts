import { expect, test } from "bun:test";
import { cutQuotes } from "./cut-quotes.ts";

const request = (content: string, more: object = {}): Uint8Array =>
  Buffer.from(
    JSON.stringify({ model: "gpt-4o-mini-2024-07-18", messages: [{ content }], ...more }),
  );

test("an error that quotes the prompt is stored without the quotation", () => {
  const prompt = 'my diagnosis is "secret" \n and my name is Ada Lovelace';
  const cut = (message: string): string => cutQuotes(message, request(prompt));

  expect(cut("Invalid content: my name is Ada")).toBe("Invalid content: my name is Ada");
  expect(cut("Invalid content: and my name is Ada")).toBe("Invalid content:[…]");
  expect(cut(`'${prompt}' is not allowed`)).toBe("'[…]' is not allowed");
  expect(cut(`'${JSON.stringify(prompt)}' is not allowed`)).toBe("'[…]' is not allowed");
  // `scrubMessage` has made spaces of line breaks before.
  expect(cut(`bad: ${prompt.replaceAll("\n", " ")}`)).toBe("bad: […]");
  expect(cut('two: my diagnosis is "x, my name is Ada Love')).toBe("two: […]x,[…]");
});

test("what is not quoted stays: short words, names of fields, the model", () => {
  const cut = (message: string): string => cutQuotes(message, request("write a haiku"));

  for (const message of [
    "The model `gpt-4o-mini-2024-07-18` does not exist",
    "Unknown parameter: max_completion_tokens",
    "write a haiku is fine",
    "",
  ]) {
    expect(cut(message)).toBe(message);
  }
});

test("a request that is no JSON, or was dropped from memory, is not quoted either", () => {
  expect(cutQuotes("bad: some plain words of it", Buffer.from("some plain words of it"))).toBe(
    "bad: […]",
  );
  expect(cutQuotes("bad: some plain words of it", new Uint8Array())).toBe("[…]");
});

test("a quotation is found wherever it stands, also of what repeats and of many texts", () => {
  const repeated = "ab".repeat(200);

  expect(cutQuotes(`x ${"ab".repeat(40)} y`, request(repeated))).toBe("x […] y");
  expect(cutQuotes("a".repeat(1_000), request("a".repeat(400)))).toBe("[…]");
  const many = Array.from({ length: 300 }, (_, index) => `the text with number ${index}`);
  expect(
    cutQuotes("no: the text with number 299, the text with number 7!", request("", { many })),
  ).toBe("no: […], […]!");
});
