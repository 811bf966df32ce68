import { expect, test } from "bun:test";
import { plainHttpWarning } from "./plain-http.ts";

const loopback = { hostIsLoopback: true, plainHttp: true, trustedProxies: [] };
const open = { hostIsLoopback: false, plainHttp: true, trustedProxies: [] };

test("who tries the gateway on their own machine is not warned", () => {
  for (const address of ["", "http://localhost:3000", "http://127.0.0.1:3000"]) {
    expect(plainHttpWarning(loopback, address), address).toBeNull();
  }
});

test("sign-in over plain HTTP is reported at the start", () => {
  expect(plainHttpWarning(open, "")).toContain("sign-in runs over plain HTTP");
  expect(plainHttpWarning(loopback, "http://gate.example")).toContain("plain HTTP");
});

test("a gateway that others reach without TLS and without a known proxy says so at the start", () => {
  const guarded = { ...open, plainHttp: false };
  expect(plainHttpWarning(guarded, "")).toMatch(/without TLS.*cannot sign in.*TRUSTED_PROXIES/);
  expect(plainHttpWarning({ ...guarded, trustedProxies: ["10.0.0.0/8"] }, "")).toBeNull();
});

test("a public address behind an unknown proxy is reported at the start", () => {
  expect(plainHttpWarning(loopback, "https://gate.example/x")).toContain("https://gate.example,");
  const trusting = { ...loopback, trustedProxies: ["127.0.0.1"] };
  expect(plainHttpWarning(trusting, "https://gate.example")).toBeNull();
});
