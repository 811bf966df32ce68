import { expect, test } from "bun:test";
import { depthMax } from "./json-cursor.ts";
import { readBoolean, readJson, readNumber, readString, scanObject } from "./json-scan.ts";
import { type Random, seededRandom } from "./testing/random.ts";

const encoder = new TextEncoder();
const wanted = ["model", "n", "stream"];

function scan(text: string, options = {}) {
  return scanObject(encoder.encode(text), wanted, options);
}

function writeString(random: Random): string {
  const pieces = ["a", "é", "界", "🙂", '\\"', "\\\\", "\\n", "\\u0041", "\\ud83d", " ", "{", "],"];
  const length = random.below(4) === 0 ? 30 + random.below(60) : random.below(6);
  return `"${Array.from({ length }, () => pieces[random.below(pieces.length)]).join("")}"`;
}

function writeValue(random: Random, depth: number): string {
  const blank = () => ["", " ", "\n\t"][random.below(3)] ?? "";
  switch (random.below(depth > 0 ? 8 : 6)) {
    case 0:
      return (
        ["0", "-1", "12.5e-3", "1E9", "123456789012345678901234567890"][random.below(5)] ?? "0"
      );
    case 1:
      return "true";
    case 2:
      return "false";
    case 3:
      return "null";
    case 4:
    case 5:
      return writeString(random);
    case 6: {
      const items = Array.from({ length: random.below(4) }, () => writeValue(random, depth - 1));
      return `[${blank()}${items.join(`${blank()},${blank()}`)}${blank()}]`;
    }
    default:
      return writeObject(random, depth - 1);
  }
}

const keyTexts = ['"model"', '"mod\\u0065l"', '"n"', '"\\u006E"', '"stream"', '"other"', '"é"'];

function writeObject(random: Random, depth: number): string {
  const blank = () => ["", " ", "\r\n"][random.below(3)] ?? "";
  const keys = keyTexts.toSorted(() => random.below(3) - 1).slice(0, random.below(5));
  const members = keys.map(
    (key) => `${blank()}${key}${blank()}:${blank()}${writeValue(random, depth)}${blank()}`,
  );
  return `{${members.join(",")}${blank()}}`;
}

/** Removes, doubles or replaces one character of the text. The result is rarely valid JSON. */
function damage(text: string, random: Random): string {
  const at = random.below(text.length);
  const piece = ['"', "\\", "{", "]", ",", ":", "0", "t", "", "}}"][random.below(10)] ?? "";
  return text.slice(0, at) + piece + text.slice(at + random.below(2));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// The relay prices what this scanner reads and forwards the bytes. If the upstream's parser read
// something else, a client could be billed for another call than it sent.
test("reads the same as JSON.parse in a hundred thousand generated texts", () => {
  const random = seededRandom(20_261_121);
  const wrong: string[] = [];
  let refused = 0;
  for (let round = 0; round < 100_000; round += 1) {
    const whole = writeObject(random, 3);
    const bytes = encoder.encode(random.below(3) === 0 ? damage(whole, random) : whole);
    const text = new TextDecoder().decode(bytes); // read back: damage may cut a surrogate pair
    const found = scanObject(bytes, wanted);
    const parsed = parse(text);
    if (!isObject(parsed)) {
      // Invalid JSON may only be accepted if the wrong characters are inside strings, because there
      // they cannot hide a key or a value.
      if (found.errorAt >= 0) refused += 1;
      else if (!hasOddString(text)) wrong.push(text);
      continue;
    }
    const agrees = wanted.every((key) => {
      const span = found.values.get(key);
      if (found.doubled.includes(key)) return true;
      if (span === undefined) return !Object.hasOwn(parsed, key);
      return JSON.stringify(readJson(bytes, span)) === JSON.stringify(parsed[key]);
    });
    if (found.errorAt !== -1 || !agrees) wrong.push(text);
  }

  expect(wrong).toEqual([]);
  expect(refused).toBeGreaterThan(5_000);
});

/** Whether the text becomes valid JSON when all its strings are replaced by a valid one. */
function hasOddString(text: string): boolean {
  return parse(text.replace(/"(?:[^"\\]|\\.)*"/gsu, '"x"')) !== undefined;
}

test("a key with escapes matches the same key without", () => {
  const found = scan('{"\\u006dod\\u0065l":"a","model":"b"}');

  expect(found.doubled).toEqual(["model"]);
});

test("a repeated key is found anywhere at the top level, and only there", () => {
  const far = `{"n":1,"x":["${"y".repeat(100_000)}\\"n\\":3",{"n":2}],"n":2}`;

  expect(scan(far).doubled).toEqual(["n"]);
  expect(scan('{"n":1,"x":{"n":2},"y":"\\"n\\":3"}').doubled).toEqual([]);
});

// Go's encoding/json uses the last key that matches without regard to case.
test("a key in another case is reported, by every case folding that Go uses", () => {
  expect(scan('{"Model":"a"}').miscased).toEqual(["Model"]);
  expect(scan('{"\\u017ftream":true}').miscased).toEqual(["ſtream"]);
  expect(scan('{"ſtream":true}').miscased).toEqual(["ſtream"]);
  expect(scan('{"models":1,"nn":2}').miscased).toEqual([]);
});

test("a text that is not one object fails at the first wrong byte", () => {
  const cases: [string, number][] = [
    ["", 0],
    ["[]", 0],
    ["\ufeff{}", 0],
    ['{"n":1', 6],
    ['{"n":01}', 5],
    ['{"n":1,}', 7],
    ['{"n" 1}', 1],
    ['{"n":1}x', 7],
    ['{"n":tru}', 5],
    ['{"n":[1,]}', 5],
  ];
  for (const [text, at] of cases) expect(scan(text).errorAt, text).toBe(at);
  expect(scan(" {} \n").errorAt).toBe(-1);
});

test("nesting beyond the limit fails", () => {
  const nested = (depth: number) => `{"x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

  expect(scan(nested(depthMax)).errorAt).toBe(-1);
  expect(scan(nested(depthMax + 1)).errorAt).toBe(5);
});

test("stops early only when told to", () => {
  const text = '{"model":"a","n":1,"stream":true,"n":2,';

  expect(scan(text, { stopWhenFound: true }).errorAt).toBe(-1);
  expect(scan(text).errorAt).toBeGreaterThan(0);
});

test("values of the wrong kind are not coerced", () => {
  const bytes = encoder.encode(`{"model":"a\\u0062","n":1e2,"stream":false,"x":${"1".repeat(70)}}`);
  const { values } = scanObject(bytes, ["model", "n", "stream", "x"]);
  const [model, n, stream, long] = [...values.values()];
  if (!model || !n || !stream || !long) throw new Error("not found");

  expect([readString(bytes, model), readString(bytes, n)]).toEqual(["ab", undefined]);
  expect([readNumber(bytes, n), readNumber(bytes, model)]).toEqual([100, undefined]);
  expect([readBoolean(bytes, stream), readBoolean(bytes, n)]).toEqual([false, undefined]);
  expect(readNumber(bytes, long)).toBeUndefined();
});

// Ten megabytes of escaped quotes must not cost one native call per quote.
test("a hostile string is skipped in one pass", () => {
  const text = `{"x":"${'\\"'.repeat(5_000_000)}","n":1}`;
  const found = scan(text);

  expect(found.errorAt).toBe(-1);
  expect(found.values.get("n")?.start).toBe(text.length - 2);
});

test("an object of more backslashes than are allowed is not scanned, wherever they stand", () => {
  const most = { keys: 3, values: 5, escapes: 300 };
  for (const [before, piece] of [
    ["", "\\n"],
    ["é", "\\u4e2d"],
    ["some words", "a\\t"],
  ] as const) {
    for (const [count, crowdedBy] of [
      [299, ""],
      [300, ""],
      [301, "escapes"],
      [999, "escapes"],
    ] as const) {
      const text = `{"x":"${before}${piece.repeat(count)}","n":1}`;
      for (const skipped of [0, 1, 2, 3]) {
        // The bytes begin at any place of a word of memory.
        const all = Buffer.from(" ".repeat(skipped) + text);
        expect(scanObject(all.subarray(skipped), ["n"], { most }).crowdedBy).toBe(crowdedBy);
      }
    }
  }
});

test("an object of more keys, or of more values at any depth, than is allowed ends the scan there", () => {
  const most = { keys: 3, values: 5, escapes: 300 };
  const crowded = (text: string) => {
    const { errorAt, crowdedBy } = scan(text, { most });
    return [crowdedBy !== "", errorAt];
  };
  expect(crowded('{"a":1,"b":2,"c":3}')).toEqual([false, -1]);
  expect(crowded(String.raw`{"\u0061":1,"\u0062":2,"c":3,"d":4}`)).toEqual([true, 33]);
  expect(crowded('{"a":[1,2,3,4]}')).toEqual([false, -1]);
  expect(crowded('{"a":[1,2,3,4,5]}')).toEqual([true, 5]);
  expect(crowded('{"a":[[[[[[]]]]]]}')).toEqual([true, 5]);
  expect(crowded('{"a":{"x":1,"y":2},"b":[1,[]]}')).toEqual([true, 23]);
  expect(crowded('{"a":"[1,2,3,4,5,6,7]"}')).toEqual([false, -1]);
  expect(crowded('{"a":[1,}')).toEqual([false, 5]);
});
