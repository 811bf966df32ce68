/** The reference for callers says what the readers of requests read, in both languages. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { translations } from "#formats/translation-registry.ts";
import { callerReference } from "#relay/reference.ts";

const web = join(import.meta.dir, "../../../web/src");
const chats = callerReference().filter(({ to }) => to === "chat");

test("every path of the relay is in it once, and chat has its fields in all four formats", () => {
  const all = callerReference().map(({ method, path }) => `${method} ${path}`);
  expect(new Set(all).size).toBe(all.length);
  expect(all).toContain("POST /v1/messages");
  expect(new Set(chats.map(({ format }) => format))).toEqual(
    new Set(["anthropic-messages", "gemini-generate", "openai-chat", "openai-responses"]),
  );
  for (const { fields, path } of chats) expect(fields.length, path).toBeGreaterThan(5);
});

for (const format of [
  "anthropic-messages",
  "gemini-generate",
  "openai-chat",
  "openai-responses",
] as const) {
  test(`${format}: a field of the reference is read, and one that is not there is said to be lost`, () => {
    const fields = chats.find((one) => one.format === format)?.fields ?? [];
    const { client } = translations[format];
    const lossesOf = (name: string): readonly string[] => {
      const path = { modality: "chat" as const, model: "m", stream: false };
      const parsed = client.parseRequest({ model: "m", [name]: {} }, path);
      return "losses" in parsed ? parsed.losses : [];
    };
    for (const name of fields) expect(lossesOf(name), name).not.toContain("unknown fields: 1");
    expect(lossesOf("not_a_field")).toContain("unknown fields: 1");
  });
}

test("every field has a meaning in both languages, and no meaning is left over", () => {
  const map = readFileSync(join(web, "features/reference/field-texts.ts"), "utf8");
  const keys = new Map(
    [...map.matchAll(/^ {2}"?(\w+)"?: "reference\.(\w+)",$/gm)].map(([, name, key]) => [name, key]),
  );
  const fields = new Set(callerReference().flatMap((one) => one.fields));
  expect(new Set(keys.keys())).toEqual(fields);
  for (const language of ["zh", "en"]) {
    const texts: Record<string, string> = JSON.parse(
      readFileSync(join(web, `i18n/${language}/reference.json`), "utf8"),
    );
    for (const [name, key] of keys) expect(texts[key ?? ""], name).toBeTruthy();
  }
});
