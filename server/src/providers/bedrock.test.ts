import { expect, test } from "bun:test";
import { bedrock } from "./bedrock.ts";

const tokens = {
  get: () => Promise.reject(new Error("no token is needed")),
  postForm: () => Promise.reject(new Error("no token is needed")),
};

async function sign(key: string, baseUrl = bedrock.baseUrl ?? "") {
  const url = `${baseUrl}/model/us.amazon.nova-lite-v1%3A0/converse`;
  return await bedrock.sign?.(
    {
      key,
      channel: { baseUrl, other: "", organization: "" },
      model: "us.amazon.nova-lite-v1:0",
      format: "bedrock-converse",
      isStream: false,
      url,
      headers: { host: "h", "content-type": "application/json" },
      body: Buffer.from("{}"),
      nowMs: 0,
    },
    tokens,
  );
}

test("a channel without a base URL calls the region of its key", async () => {
  expect(await sign("AKIDEXAMPLE|secret|eu-central-1")).toMatchObject({
    kind: "signed",
    url: "https://bedrock-runtime.eu-central-1.amazonaws.com/model/us.amazon.nova-lite-v1%3A0/converse",
    headers: {
      authorization: expect.stringMatching(
        "Credential=AKIDEXAMPLE/19700101/eu-central-1/bedrock/aws4_request, " +
          "SignedHeaders=content-type;host;x-amz-date",
      ),
    },
  });
});

test("a private endpoint keeps its address, and temporary credentials send their token", async () => {
  expect(await sign("AKIDEXAMPLE|secret|us-east-1|token", "https://vpce.example")).toMatchObject({
    url: "https://vpce.example/model/us.amazon.nova-lite-v1%3A0/converse",
    headers: { "x-amz-security-token": "token" },
  });
});

test("an API key of Bedrock is sent as a bearer key", async () => {
  expect(await sign("ABSKexample|us-west-2")).toMatchObject({
    url: expect.stringContaining("bedrock-runtime.us-west-2."),
    headers: { authorization: "Bearer ABSKexample" },
  });
});

test("a key that is not complete, or whose region is none, is not sent anywhere", async () => {
  for (const key of ["", "AKID", "AKID|secret", "AKID||us-east-1", "AKID|secret|evil.example#"]) {
    expect(await sign(key), key).toMatchObject({ kind: "unsigned", reason: "key-malformed" });
  }
});
