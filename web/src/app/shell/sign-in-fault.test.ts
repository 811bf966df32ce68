import { expect, test } from "bun:test";
import { signInFault } from "./sign-in-fault.ts";

const faultAt = (address: string, secureCookies: boolean) =>
  signInFault(new URL(address) as unknown as Location, secureCookies);

test("sign-in over plain HTTP is reported, but not on one's own machine", () => {
  expect(faultAt("http://gate.example/login", false)).toBe("plain-http");
  expect(faultAt("http://192.168.1.5:3000/", false)).toBe("plain-http");
  for (const host of ["localhost:3000", "127.0.0.1:3000", "[::1]:3000", "a.localhost"]) {
    expect(faultAt(`http://${host}/login`, false), host).toBe("none");
  }
});

test("a TLS proxy that the server does not trust is reported", () => {
  expect(faultAt("https://gate.example/", true)).toBe("none");
  expect(faultAt("https://gate.example/", false)).toBe("unknown-proxy");
});
