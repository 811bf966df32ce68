import { expect, test } from "bun:test";
import type { T } from "#i18n/t.ts";
import { checkModelMapping, checkOverride, checkStatusCodes } from "./mapping-check.ts";

/** Replaces the translation function: a text's key, and what it names. */
const t = ((key: string, values: object = {}) =>
  [key.replace("channels.", ""), ...Object.values(values)].join(" ")) as unknown as T; // safe cast: only called

test("O-154 O-180: a mapping is checked while it is typed, and names the entry that is wrong", () => {
  const models = ["a", "b"];
  expect(checkModelMapping("", models, t)).toBeNull();
  // A text that is not JSON yet is reported by the editor, with its line.
  expect(checkModelMapping('{"a":', models, t)).toBeNull();
  expect(checkModelMapping("[]", models, t)).toEqual({ tone: "danger", text: "checkNotObject" });
  expect(checkModelMapping('{"a":""}', models, t)?.text).toBe("checkModelName a");
  expect(checkModelMapping('{"a":"x","z":"x"}', models, t)).toEqual({
    tone: "warning",
    text: "checkUnusedModels z",
  });
  expect(checkModelMapping('{"z":"x"}', null, t)?.text).toBe("checkDone 1");
  expect(checkModelMapping('{"a":"x","b":"y"}', models, t)).toEqual({
    tone: "success",
    text: "checkDone 2",
  });
});

test("status codes and overrides are checked by the contract's rules", () => {
  expect(checkStatusCodes('{"400":"500","200":"500"}', t)?.text).toBe("checkStatus 200");
  expect(checkStatusCodes('{"400":"500"}', t)?.tone).toBe("success");
  expect(checkOverride('{"temperature":0,"model":"x","n":2}', t)?.text).toBe("checkFixed model, n");
  expect(checkOverride('{"temperature":0}', t)?.tone).toBe("success");
});
