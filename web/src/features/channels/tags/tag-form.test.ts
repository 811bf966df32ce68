import { expect, test } from "bun:test";
import type { T } from "#i18n/t.ts";
import { tagFormOf, type TagForm, tagFormSchema } from "./tag-form.ts";

/** Replaces the translation function: returns a text's key in place of the text. */
const t = ((key: string) => key) as unknown as T; // safe cast: the form only calls `t`

function read(change: Partial<TagForm>) {
  const parsed = tagFormSchema("old", t).safeParse({ ...tagFormOf("old"), ...change });
  return parsed.success ? parsed.data : parsed.error.issues.map(({ message }) => message);
}

test("O-157: an unchanged tag sends nothing and says so", () => {
  expect(read({})).toEqual(["channels.nothingChanged"]);
});

test("O-158 O-159: priority and weight are whole, and weight is not negative", () => {
  expect(read({ priority: 1.5 })).toContain("channels.priorityInvalid");
  expect(read({ weight: -1 })).toContain("channels.weightInvalid");
  expect(read({ model_mapping: "{" })).toContain("channels.mappingInvalid");
});

test("O-230 to O-235: only filled-in values are sent", () => {
  expect(read({ new_tag: " new ", models: ["a", "b"], weight: 0 })).toEqual({
    tag: "old",
    new_tag: "new",
    models: "a,b",
    weight: 0,
  });
  expect(read({ new_tag: "" })).toEqual({ tag: "old", new_tag: "" });
});
