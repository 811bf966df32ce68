import { expect, test } from "bun:test";
import { cleanText } from "./clean-text.ts";

const clean = (text: string, bytesMax = 65_536): string => cleanText(text, bytesMax).text;

test("files in a text become markers that name their size", () => {
  const base64 = Buffer.alloc(600, 7).toString("base64");
  const request = {
    messages: [
      { content: [{ image_url: { url: `data:image/png;base64,${base64}` } }] },
      { content: [{ input_audio: { data: base64 } }] },
    ],
    data: [{ embedding: Array.from({ length: 1_536 }, (_, index) => index / 7) }],
  };

  expect(JSON.parse(clean(JSON.stringify(request)))).toEqual({
    messages: [
      { content: [{ image_url: { url: "[image/png, 600 bytes]" } }] },
      { content: [{ input_audio: { data: "[binary, 600 bytes]" } }] },
    ],
    data: [{ embedding: "[1536 numbers]" }],
  });
  expect(clean(`plain ![](data:image/png;base64,${base64})`)).toBe(
    "plain ![]([image/png, 600 bytes])",
  );
});

test("credentials are removed, in fields, in prose and inside the arguments of tools", () => {
  const secrets = [
    "sk-proj-abcdefgh12345678",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl",
    "ghp_abcdefghijklmnop1234",
    "hunter22 and spaces",
    "abcdef987654",
    "dXNlcjpwYXNzd29yZA==",
  ];
  const text = JSON.stringify({
    content: `use ${secrets[0]} or ${secrets[1]}, ${secrets[2]} or ${secrets[3]}`,
    tool: { arguments: JSON.stringify({ api_key: secrets[4], city: "Oslo" }) },
    curl: `curl -H 'Authorization: Bearer ${secrets[5]}' -H "authorization: Basic ${secrets[6]}"`,
    "x-api-key": [secrets[4]],
  });
  for (const cleaned of [clean(text), clean(`no JSON: ${text.replaceAll(secrets[4] ?? "", "")}`)]) {
    for (const secret of secrets) expect(cleaned).not.toContain(secret);
    expect(cleaned).toContain("Oslo");
  }
});

test("a long text is cut at a whole character, and its whole size is told", () => {
  expect(cleanText("你好吗", 7)).toEqual({ text: "你好", wholeBytes: 9 });
  expect(cleanText("abc", 3)).toEqual({ text: "abc", wholeBytes: 3 });
  expect(cleanText("\ud800", 10).text).toBe("\ufffd");
});

test("ordinary text stays as it is, also text with long words and numbers", () => {
  for (const text of [
    "hello, 世界",
    '{"a":[1,2,3],"b":"x"}',
    `${"word ".repeat(200)}`,
    "https://example.com/a/very/long/path",
    "the secret of success",
  ]) {
    expect(clean(text)).toBe(text);
  }
});

test("credentials are removed wherever they stand, however they are surrounded", () => {
  const token = `eyJ${"hbGciOiJIUzI1"}.${"eyJzdWIiOiIxMjM0"}.c2ln`;
  const key = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----";
  for (const [text, cleaned] of [
    [`xeyJa-${token} and ${token}`, "xeyJa-*** and ***"],
    [`${token}.${token}`, "***.***"],
    [`eyJshort.${token}`, "eyJshort.***"],
    [`a ${key} b ${key} c -----BEGIN PRIVATE KEY-----\nno end`, "a *** b *** c ***"],
    [
      "BEARER  abcdefgh Authorization : 'basic abcdefgh'",
      "BEARER  *** Authorization : 'basic ***'",
    ],
  ] as const) {
    expect(clean(text)).toBe(cleaned);
  }
});

test("a text of 150,000 spaces, or of 200,000 levels of JSON, is cleaned like any other", () => {
  const spaces = " ".repeat(150_000);
  expect(cleanText(`a${spaces}b Bearer abcdefgh`, 65_536).wholeBytes).toBe(150_013);
  const deep = `${"[".repeat(200_000)}"sk-abcdefgh12345678"${"]".repeat(200_000)}`;
  const cleaned = cleanText(JSON.stringify({ arguments: deep }), 1_000_000).text;
  expect(JSON.parse(cleaned)).toEqual({ arguments: deep.replace(/sk-\w+/, "***") });
});
