import { expect, test } from "bun:test";
import { readTarget } from "./target.ts";

// Such targets occur with HTTP/1.0 and invalid Host fields, and must be answered.
test("a target without a valid host is read like any other", () => {
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

// Access is decided by the matched route, so a path must have only one reading.
test("a path is used as sent", () => {
  for (const path of ["/api/user/../option/", "/api/%75ser/", "/api//user", "/api/user/%2e%2e/"]) {
    expect(readTarget(`http://gw.example${path}`).path).toBe(path);
  }
});
