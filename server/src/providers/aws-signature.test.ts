import { expect, test } from "bun:test";
import { signAws } from "./aws-signature.ts";

/**
 * Cases of Amazon's published test suite for Signature Version 4
 * (https://github.com/awslabs/aws-c-auth/tree/main/tests/aws-signing-test-suite/v4): name, method,
 * path, headers, body, signature.
 */
const suite = [
  [
    "get-vanilla",
    "GET",
    "/",
    {},
    "",
    "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  ],
  [
    "get-vanilla-query-order-key-case",
    "GET",
    "/?Param2=value2&Param1=value1",
    {},
    "",
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
  [
    "post-vanilla",
    "POST",
    "/",
    {},
    "",
    "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  ],
  [
    "post-x-www-form-urlencoded",
    "POST",
    "/",
    { "content-type": "application/x-www-form-urlencoded" },
    "Param1=value1",
    "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  ],
  [
    "get-unreserved",
    "GET",
    "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    {},
    "",
    "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
  ],
] as const;

const credentials = {
  accessKey: "AKIDEXAMPLE",
  secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: "",
  region: "us-east-1",
};

for (const [name, method, path, headers, body, signature] of suite) {
  test(`the signature is that of Amazon's suite: ${name}`, () => {
    const signed = signAws(credentials, {
      method,
      url: `https://example.amazonaws.com${path}`,
      headers: { host: "example.amazonaws.com", ...headers },
      body: Buffer.from(body),
      service: "service",
      nowMs: Date.UTC(2015, 7, 30, 12, 36),
    });
    const names = [...Object.keys(headers), "host", "x-amz-date"].join(";");

    expect(signed).toEqual({
      "x-amz-date": "20150830T123600Z",
      authorization:
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, " +
        `SignedHeaders=${names}, Signature=${signature}`,
    });
  });
}

test("the signature covers the token of temporary credentials: get-vanilla-with-session-token", () => {
  const sessionToken = "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267";
  const signed = signAws(
    { ...credentials, sessionToken },
    {
      method: "GET",
      url: "https://example.amazonaws.com/",
      headers: { host: "example.amazonaws.com" },
      body: new Uint8Array(),
      service: "service",
      nowMs: Date.UTC(2015, 7, 30, 12, 36),
    },
  );

  expect(signed["x-amz-security-token"]).toBe(sessionToken);
  expect(signed["authorization"]).toEndWith(
    "SignedHeaders=host;x-amz-date;x-amz-security-token, " +
      "Signature=07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8",
  );
});
