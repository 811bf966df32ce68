import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { translations } from "./translation-registry.ts";

const pdf = Buffer.from("%PDF-1.7 of some length").toString("base64");
const words = Buffer.from("some words, which are no PDF").toString("base64");

const path = { modality: "chat", model: "m", stream: false } as const;

const clients: Readonly<
  Record<"openai-chat" | "openai-responses", (file: JsonObject) => JsonObject>
> = {
  "openai-chat": (file) => ({
    model: "m",
    messages: [{ role: "user", content: [{ type: "file", file }] }],
  }),
  "openai-responses": (file) => ({
    model: "m",
    input: [{ role: "user", content: [{ type: "input_file", ...file }] }],
  }),
};

/** Returns what an upstream of a format is sent, as text. */
function sent(
  client: keyof typeof clients,
  upstream: keyof typeof translations,
  file: JsonObject,
): string {
  const parsed = translations[client].client.parseRequest(clients[client](file), path);
  if ("message" in parsed) return parsed.message;
  const written = translations[upstream].upstream.writeRequest(
    { ...parsed.request, model: "m" },
    {},
  );
  return JSON.stringify("message" in written ? written.message : written.body);
}

describe.each(["openai-chat", "openai-responses"] as const)("a file of a %s client", (client) => {
  test("base64 alone is data whose type the name tells, not an address", () => {
    const file = { filename: "a.pdf", file_data: pdf };

    expect(sent(client, "anthropic-messages", file)).toContain(
      `{"type":"base64","media_type":"application/pdf","data":"${pdf}"}`,
    );
    expect(sent(client, "gemini-generate", file)).toContain(
      `{"inlineData":{"mimeType":"application/pdf","data":"${pdf}"}}`,
    );
    expect(sent(client, "openai-chat", file)).toContain(`data:application/pdf;base64,${pdf}`);
  });

  test("the type of base64 without a telling name is read from its first bytes", () => {
    const file = { filename: "upload", file_data: pdf };

    expect(sent(client, "gemini-generate", file)).toContain('"mimeType":"application/pdf"');
  });

  test.each([
    ["lines", `${pdf.slice(0, 8)}\r\n${pdf.slice(8)}`, "a.pdf", pdf],
    ["the base64 of addresses", pdf.replaceAll("+", "-"), "a.pdf", pdf.replaceAll("+", "-")],
    ["a text", words, "a.txt", words],
    ["a picture", "iVBORw0KGgoAAAA=", "", "iVBORw0KGgoAAAA="],
  ])("base64 with %s is data as well", (_, data, filename, expected) => {
    const file = { filename, file_data: data };

    expect(sent(client, "gemini-generate", file)).toContain(`"data":"${expected}"`);
  });

  test("an address stays one, and so does a data URL that is not escaped rightly", () => {
    const address = { filename: "a.pdf", file_data: "https://files.test/a.pdf" };
    const odd = { filename: "a.txt", file_data: "data:text/plain,100%" };

    expect(sent(client, "gemini-generate", address)).toContain("https://files.test/a.pdf");
    expect(sent(client, "gemini-generate", odd)).toContain(Buffer.from("100%").toString("base64"));
  });
});
