import { expect, test } from "bun:test";
import { jwtVerify } from "jose";
import { signToken } from "./json-web-token.ts";

test("whoever has the secret can verify a token, with its header and its claims", async () => {
  const token = signToken({ typ: "JWT" }, { iss: "access key", exp: 4_000_000_000 }, "secret");
  const { payload, protectedHeader } = await jwtVerify(token, new TextEncoder().encode("secret"));
  expect(payload).toEqual({ iss: "access key", exp: 4_000_000_000 });
  expect(protectedHeader).toEqual({ alg: "HS256", typ: "JWT" });
  const other = jwtVerify(token, new TextEncoder().encode("another secret"));
  await expect(other).rejects.toThrow("signature verification failed");
});
