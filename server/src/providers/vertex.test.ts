import { generateKeyPairSync, verify } from "node:crypto";
import { expect, test } from "bun:test";
import type { TokenSource } from "./signing.ts";
import { vertex } from "./vertex.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });

const account = JSON.stringify({
  type: "service_account",
  project_id: "my-project",
  private_key_id: "k1",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  client_email: "robot@my-project.iam.gserviceaccount.com",
  token_uri: "https://oauth2.example/token",
});

const granted = { status: 200, text: '{"access_token":"ya29.token","expires_in":3599}' };

function open(answer: { readonly status: number; readonly text: string } = granted) {
  const asked: { readonly url: string; readonly fields: Readonly<Record<string, string>> }[] = [];
  const tokens: TokenSource = {
    get: async (_, request) => await request(),
    async postForm(url, fields) {
      asked.push({ url, fields });
      return { ok: true, ...answer };
    },
  };
  return { asked, tokens };
}

const nowMs = 1_700_000_000_000;

async function sign(
  tokens: TokenSource,
  given: { key?: string; other?: string; baseUrl?: string; model?: string } = {},
) {
  const { key = account, other = "", baseUrl = vertex.baseUrl ?? "" } = given;
  const { model = "gemini-2.5-pro" } = given;
  const isClaude = model.includes("claude");
  const path = isClaude
    ? `/v1/publishers/anthropic/models/${model}:rawPredict`
    : `/v1/publishers/google/models/${model}:generateContent`;
  return await vertex.sign?.(
    {
      key,
      channel: { baseUrl, other, organization: "" },
      model,
      format: isClaude ? "anthropic-messages" : "gemini-generate",
      isStream: false,
      url: baseUrl + path,
      headers: {},
      body: Buffer.from('{"model":"m","max_tokens":5}'),
      nowMs,
    },
    tokens,
  );
}

test("a session is opened at its region's host, whose path names no project", async () => {
  const path = "/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent";
  const model = "gemini-live-2.5-flash";
  for (const [other, host, place] of [
    ["us-central1", "us-central1-aiplatform.googleapis.com", "us-central1"],
    ["", "aiplatform.googleapis.com", "global"],
  ] as const) {
    const { tokens } = open();
    const channel = { baseUrl: vertex.baseUrl ?? "", other, organization: "" };
    const signed = await vertex.sign?.(
      {
        key: account,
        channel,
        model,
        format: "gemini-live",
        isStream: true,
        url: channel.baseUrl + path,
        headers: {},
        body: new Uint8Array(),
        nowMs,
      },
      tokens,
    );

    expect(signed).toEqual({
      kind: "signed",
      url: `https://${host}${path}`,
      headers: { authorization: "Bearer ya29.token" },
    });
    expect(vertex.nameLiveModel?.(model, { channel, key: account })).toBe(
      `projects/my-project/locations/${place}/publishers/google/models/${model}`,
    );
  }
});

test("a service account calls its project in its region, with a token for a signed assertion", async () => {
  const { asked, tokens } = open();
  const signed = await sign(tokens, { other: "europe-west4" });
  const [head = "", claims = "", signature = ""] = asked[0]?.fields["assertion"]?.split(".") ?? [];

  expect(signed).toEqual({
    kind: "signed",
    url: "https://europe-west4-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west4/publishers/google/models/gemini-2.5-pro:generateContent",
    headers: { authorization: "Bearer ya29.token" },
  });
  expect(asked[0]?.url).toBe("https://oauth2.example/token");
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toEqual({
    iss: "robot@my-project.iam.gserviceaccount.com",
    scope: "https://www.googleapis.com/auth/cloud-platform",
    aud: "https://oauth2.example/token",
    iat: nowMs / 1_000,
    exp: nowMs / 1_000 + 3_600,
  });
  const text = Buffer.from(`${head}.${claims}`);
  expect(verify("sha256", text, publicKey, Buffer.from(signature, "base64url"))).toBe(true);
});

test("regions are named by model, and a private endpoint keeps its address", async () => {
  const { tokens } = open();
  const other = '{"default":"global","claude-sonnet-4-5":"us-east5"}';

  expect(await sign(tokens, { other, model: "claude-sonnet-4-5" })).toMatchObject({
    url: expect.stringContaining(
      "https://us-east5-aiplatform.googleapis.com/v1/projects/my-project/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5:rawPredict",
    ),
  });
  expect(await sign(tokens, { other })).toMatchObject({
    url: expect.stringContaining("https://aiplatform.googleapis.com/v1/projects/my-project/"),
  });
  expect(await sign(tokens, { baseUrl: "https://psc.example" })).toMatchObject({
    url: expect.stringContaining("https://psc.example/v1/projects/my-project/locations/global/"),
  });
});

test("Claude gets the version in the body, and the model only in the path", async () => {
  const { tokens } = open();
  const signed = await sign(tokens, { model: "claude-sonnet-4-5" });

  expect(signed).toMatchObject({ kind: "signed" });
  if (signed?.kind !== "signed") return;
  expect(new TextDecoder().decode(signed.body)).toBe(
    '{"anthropic_version":"vertex-2023-10-16","max_tokens":5}',
  );
});

test("a region cannot change where a call goes", async () => {
  const { tokens } = open();

  expect(await sign(tokens, { other: "evil.example/#" })).toMatchObject({
    url: expect.stringContaining("https://evilexample-aiplatform.googleapis.com/"),
  });
});

test("an API key is sent as such, and the path has no project", async () => {
  const { asked, tokens } = open();

  expect(await sign(tokens, { key: "AIza-key" })).toMatchObject({
    url: "https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.5-pro:generateContent",
    headers: { "x-goog-api-key": "AIza-key" },
  });
  expect(asked).toEqual([]);
});

test("a broken account, a refused one and a silent server are told apart", async () => {
  const refused = open({ status: 400, text: '{"error":"invalid_grant"}' });
  const down = open({ status: 503, text: "" });
  const { tokens } = open();

  expect(await sign(tokens, { key: '{"client_email":"x"}' })).toMatchObject({
    reason: "key-malformed",
  });
  expect(await sign(refused.tokens)).toMatchObject({
    reason: "token-refused",
    message: "invalid_grant",
  });
  expect(await sign(down.tokens)).toMatchObject({ reason: "token-missing", message: "HTTP 503" });
});
