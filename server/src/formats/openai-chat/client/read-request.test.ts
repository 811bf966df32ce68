import { expect, test } from "bun:test";
import type { Modality } from "#canonical/modality.ts";
import type { BodyRefusal, RequestBody } from "#formats/format.ts";
import { readRequest } from "./read-request.ts";

const encoder = new TextEncoder();

function read(text: string, modality: Modality = "chat"): RequestBody | BodyRefusal {
  return readRequest(encoder.encode(text), { modality, model: null });
}

/** Returns a chat body with the required members and these added ones. */
function chat(members: string): string {
  const more = members && `,${members}`;
  return `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]${more}}`;
}

function refused(text: string, modality?: Modality): BodyRefusal {
  const body = read(text, modality);
  if (!("code" in body)) throw new Error(`accepted: ${text}`);
  return body;
}

function accepted(text: string, modality?: Modality): RequestBody {
  const body = read(text, modality);
  if ("code" in body) throw new Error(body.message);
  return body;
}

test("reads what routing and pricing need", () => {
  const text = chat('"stream":true,"n":3,"max_tokens":50,"stream_options":{"include_usage":true}');

  expect(accepted(text)).toMatchObject({
    modality: "chat",
    model: "gpt-4o",
    stream: true,
    answerCount: 3,
    maxTokens: 50,
    wantsUsage: true,
    textBytes: text.length,
    mediaParts: 0,
    hasUnseenInput: false,
  });
});

test("absent, null and meaningless fields have their defaults", () => {
  const defaults = { stream: false, answerCount: 1, maxTokens: null, wantsUsage: false };
  const nothing = '"stream":null,"n":null,"max_tokens":null,"stream_options":null';

  expect(accepted(chat(""))).toMatchObject(defaults);
  expect(accepted(chat(nothing))).toMatchObject(defaults);
  // Many servers read a limit of 0 as "no limit", so no less may be held for it than without a
  // limit.
  expect(accepted(chat('"max_tokens":0,"stream_options":{}'))).toMatchObject(defaults);
});

test("of two limits, and of two counts, the larger counts", () => {
  expect(accepted(chat('"max_tokens":10,"max_completion_tokens":20'))).toMatchObject({
    maxTokens: 20,
  });
  expect(accepted('{"model":"a","prompt":"x","n":2,"best_of":5}', "completions")).toMatchObject({
    answerCount: 5,
  });
});

// No upstream may be called with a number outside its range, so numbers at and beyond each end are
// tried.
test("numbers outside their range are refused, numbers at its ends are accepted", () => {
  const ranges: [string, number, number][] = [
    ["n", 1, 128],
    ["best_of", 1, 128],
    ["max_tokens", 0, 2_000_000],
    ["max_completion_tokens", 0, 2_000_000],
  ];
  for (const [key, min, max] of ranges) {
    accepted(chat(`"${key}":${min}`));
    accepted(chat(`"${key}":${max}`));
    accepted(chat(`"${key}":${max}.0`));
    for (const wrong of [min - 1, max + 1, 1.5, "1e400", '"5"', "true", "[1]", "{}", "-1e9"]) {
      expect(refused(chat(`"${key}":${wrong}`)), `${key} ${wrong}`).toEqual({
        code: "invalid_text_request",
        param: key,
        message: `${key} is invalid`,
      });
    }
  }
});

// If a key occurs twice, it is unknown which of the two values an upstream reads, so price and
// answer could differ.
test("a key that two parsers could read differently is refused", () => {
  const first = chat('"stream":true,"n":1,"max_tokens":5,"stream_options":{}').slice(0, -1);
  const second = {
    model: '"gpt-4o"',
    stream: "true",
    n: "1",
    max_tokens: "5",
    stream_options: "{}",
    messages: "[{}]",
  };
  for (const [key, value] of Object.entries(second)) {
    expect(refused(`${first},"${key}":${value}}`)).toMatchObject({
      param: key,
      message: `field ${key} occurs more than once`,
    });
  }
  expect(refused(chat('"m\\u006fdel":"o3"'))).toMatchObject({ param: "model" });
  expect(refused(chat('"Max_Tokens":5'))).toMatchObject({
    param: "Max_Tokens",
    message: "field Max_Tokens must be written in lower case",
  });
  expect(
    refused(chat('"stream_options":{"include_usage":false,"include_usage":true}')).message,
  ).toBe("stream_options: field include_usage occurs more than once");
  // Deeper in the body, the names of fields are ordinary data.
  accepted(chat('"metadata":{"model":"x","Model":"y","n":"z"}'));
});

test("fields of a wrong type are refused by name", () => {
  const wrong: [string, string][] = [
    ["stream", '"yes"'],
    ["stream", "1"],
    ["stream_options", "true"],
    ["stream_options", "[]"],
    ["stream_options", '{"include_usage":"yes"}'],
  ];
  for (const [key, value] of wrong) {
    expect(refused(chat(`"${key}":${value}`))).toMatchObject({ param: key });
  }
});

test("the model must be a valid name", () => {
  const body = (model: string) => `{"model":${model},"messages":[{}]}`;
  for (const none of ['""', "null"]) expect(refused(body(none)).message).toBe("model is required");
  expect(refused('{"messages":[{}]}').message).toBe("model is required");
  const invalid = [
    "5",
    "{}",
    `"${"x".repeat(256)}"`,
    '"a\\nb"',
    '"a\\u0000"',
    '"\\ud800"',
    '"\\q"',
  ];
  for (const model of invalid) expect(refused(body(model)).message).toBe("model is invalid");

  expect(accepted(body(`"${"x".repeat(255)}"`)).model).toHaveLength(255);
  expect(accepted(body('"深度求索/v3:free"')).model).toBe("深度求索/v3:free");
});

test("a model in the path is used only if the body names none", () => {
  const path = { modality: "embeddings", model: "ada" } as const;
  const bytes = encoder.encode('{"input":"x"}');
  expect(readRequest(bytes, path)).toMatchObject({ model: "ada" });
  const own = encoder.encode('{"model":"m","input":"x"}');
  expect(readRequest(own, path)).toMatchObject({ model: "m" });
});

test("the input for the model is required", () => {
  const cases: [Modality, string, string][] = [
    ["chat", "messages", "invalid_text_request"],
    ["completions", "prompt", "invalid_text_request"],
    ["embeddings", "input", "invalid_embedding_request"],
  ];
  for (const [modality, field, code] of cases) {
    const missing = { code, param: field, message: `field ${field} is required` };
    expect(refused('{"model":"m"}', modality)).toEqual(missing);
    for (const empty of ["null", '""', "[]", "[ \n]"]) {
      expect(refused(`{"model":"m","${field}":${empty}}`, modality)).toEqual(missing);
    }
    expect(refused(`{"model":"m","${field}":5}`, modality)).toMatchObject({
      param: field,
      message: `${field} is invalid`,
    });
  }
  expect(refused('{"model":"m","messages":"hi"}').message).toBe("messages is invalid");
  accepted('{"model":"m","prompt":[1,2,3]}', "completions");
  accepted('{"model":"m","input":[[1,2],[3]]}', "embeddings");
});

// Upstreams charge for some invalid inputs, and refuse others with errors that name no element.
test("an embeddings input is checked element by element", () => {
  const number = "must be a token number";
  const whole = `${number}: whole and not negative`;
  const any = "must be a text, a token number or a list of token numbers";
  const mixed = "must be of the same kind as input[0]";
  const wrong: [string, string, string][] = [
    ['[""]', "input[0]", "is empty"],
    ['["a", ""]', "input[1]", "is empty"],
    ["[[]]", "input[0]", "is empty"],
    ["[[1],[ ]]", "input[1]", "is empty"],
    ["[null]", "input[0]", any],
    ['["a",null]', "input[1]", any],
    ["[true]", "input[0]", any],
    ['[{"text":"a"}]', "input[0]", any],
    ['["a",1]', "input[1]", mixed],
    ['[1,"a"]', "input[1]", mixed],
    ['["a",[1]]', "input[1]", mixed],
    ["[[1],2]", "input[1]", mixed],
    ["[1,-1]", "input[1]", whole],
    ["[1.5]", "input[0]", whole],
    ["[1e400]", "input[0]", whole],
    ["[[1,-2]]", "input[0]", `has a wrong element: [1] ${whole}`],
    ['[["a"]]', "input[0]", `has a wrong element: [0] ${number}`],
    ["[[[1]]]", "input[0]", `has a wrong element: [0] ${number}`],
    ["[[{}]]", "input[0]", `has a wrong element: [0] ${number}`],
    ["[[1,null]]", "input[0]", `has a wrong element: [1] ${number}`],
  ];
  for (const [input, element, problem] of wrong) {
    expect(refused(`{"model":"m","input":${input}}`, "embeddings")).toEqual({
      code: "invalid_embedding_request",
      param: element,
      message: `${element} ${problem}`,
    });
  }
  for (const input of ['["a"," ","\\""]', "[0,1]", "[[0,1],[2]]", '"a"', '[ "a" , "b" ]']) {
    accepted(`{"model":"m","input":${input}}`, "embeddings");
  }
});

test("a body that is not one JSON object is refused", () => {
  for (const text of ["", "[]", "null", '{"model":"m"', `${chat("")} {}`, '{"model":"m",}']) {
    expect(refused(text)).toMatchObject({ code: "invalid_text_request", param: "" });
  }
});
