import { expect, test } from "bun:test";
import { readTarget } from "./target.ts";

// Bun gives such addresses for HTTP/1.0 and for a Host header that is none: they must be answered.
test("an address without a readable host is read like any other", () => {
  for (const host of [
    "",
    "http://gw.example",
    "http://evil.com:99999",
    "http://[::1",
    "http://%00",
  ]) {
    const { path, query } = readTarget(`${host}/api/user/?p=1&to=http://x/y`);
    expect([host, path, query.get("p"), query.get("to")]).toEqual([
      host,
      "/api/user/",
      "1",
      "http://x/y",
    ]);
  }
  expect(readTarget("http://gw.example").path).toBe("/");
});

// The authorization decision uses the matched route, so no two readings of a path may exist.
test("a path is taken as it was sent", () => {
  for (const path of ["/api/user/../option/", "/api/%75ser/", "/api//user", "/api/user/%2e%2e/"]) {
    expect(readTarget(`http://gw.example${path}`).path).toBe(path);
  }
});
