import { expect, test } from "bun:test";
import { startOf } from "#widgets/server/request-time.ts";
import {
  chosenGroup,
  chosenModel,
  defaultModel,
  maxTokensMax,
  parameters,
} from "./playground.search.ts";
import { isSendKey } from "./send-key.ts";
import { choosePictures, pictureBytesMax } from "./pictures.ts";
import { codeLanguages, placeholderKey, showCode } from "./view-code.ts";

test("O-538 O-541: an empty address means temperature 0 and no limit of tokens", () => {
  const read = parameters.parse({});
  expect(read).toMatchObject({ group: "", model: "", temperature: 0, max_tokens: 0 });
});

test("O-539: the slider takes the address's temperature if it is in range, else the untouched 0", () => {
  const read = (temperature: string) => parameters.parse({ temperature }).temperature;
  expect(["0", "0.1", "0.7", "1", "0.30000000000000004"].map(read)).toEqual([0, 0.1, 0.7, 1, 0.3]);
  expect(["0.01", "2", "-1", "x", ""].map(read)).toEqual([0.1, 1, 0, 0, 0]);
});

test("a token limit in the address must be one that the server takes", () => {
  const read = (max_tokens: string) => parameters.parse({ max_tokens }).max_tokens;
  expect(["100", "-5", "1.6", "x", "99999999999"].map(read)).toEqual([100, 0, 2, 0, maxTokensMax]);
});

test("O-537: the default model is chosen if the user may use it", () => {
  expect(chosenModel("", ["a", defaultModel])).toBe(defaultModel);
  expect(chosenModel("a", ["a", defaultModel])).toBe("a");
  expect(chosenModel("gone", ["a", "b"])).toBe("a");
  expect(chosenModel("", [])).toBe("");
  expect(chosenGroup("", "vip", ["default", "vip"])).toBe("vip");
  expect(chosenGroup("default", "vip", ["default", "vip"])).toBe("default");
  expect(chosenGroup("gone", "gone", ["default"])).toBe("default");
});

test("Enter sends, but not the Enter that ends a composition", () => {
  const enter = { key: "Enter", shiftKey: false, altKey: false, keyCode: 13, isComposing: false };
  expect(isSendKey(enter)).toBe(true);
  expect(isSendKey({ ...enter, shiftKey: true })).toBe(false);
  expect(isSendKey({ ...enter, isComposing: true })).toBe(false);
  // Safari reports the end of a composition before the key press that ended it.
  expect(isSendKey({ ...enter, keyCode: 229 })).toBe(false);
  expect(isSendKey({ ...enter, key: "a", keyCode: 65 })).toBe(false);
});

test("the time in a request id limits the search for its log row", () => {
  expect(startOf("20261121182242287B5KBkHgoVkk01nbr")).toBe(
    Date.UTC(2026, 10, 21, 18, 22, 42) / 1e3,
  );
  expect(startOf("another-gateways-id")).toBeNull();
  expect(startOf("20269921182242287abc")).toBeNull();
});

test("pictures are sent if they are few, small and of a known format", () => {
  const png = { type: "image/png", size: 10 };
  expect(choosePictures([png, { ...png, size: pictureBytesMax + 1 }], 0)).toEqual({
    taken: [png],
    refused: new Set(["size"]),
  });
  expect(choosePictures([{ ...png, type: "image/svg+xml" }], 0).refused).toEqual(new Set(["type"]));
  expect(choosePictures([png, png], 3)).toEqual({ taken: [png], refused: new Set(["count"]) });
});

const request = {
  origin: "https://gate.example",
  model: "gpt-4o-mini",
  messages: [{ role: "user", content: `it's "你好"\n$HOME` }],
  temperature: 0,
  maxTokens: 0,
};

test("the example code has a placeholder for the key, and a limit only if there is one", () => {
  for (const language of codeLanguages) {
    const code = showCode(language, request);
    expect(code).toContain(placeholderKey);
    expect(code).toContain("https://gate.example/v1");
    expect(code).not.toContain("max_tokens");
    expect(showCode(language, { ...request, maxTokens: 5 })).toContain("max_tokens");
  }
});

test("a shell reads the intended body from the curl line", async () => {
  const code = showCode("curl", request).replace("curl -N", "printf '%s\\0'");
  const output = await new Response(Bun.spawn(["sh", "-c", code]).stdout).text();
  const body = output.split("\0").find((argument) => argument.startsWith("{"));
  expect(JSON.parse(body ?? "")).toEqual({
    model: "gpt-4o-mini",
    messages: request.messages,
    temperature: 0,
    stream: true,
  });
});

test("the example code cuts a picture short", () => {
  const url = `data:image/png;base64,${"A".repeat(10_000)}`;
  const messages = [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }];
  expect(showCode("node", { ...request, messages }).length).toBeLessThan(1_000);
});
