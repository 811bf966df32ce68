import { expect, test } from "bun:test";
import { readTarget } from "./target.ts";

// Targets without a valid host occur with HTTP/1.0 and with invalid Host fields. They must be
// answered, too.
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

// The matched route decides who has access, so there must be only one way to read a path.
test("a path is used as sent", () => {
  for (const path of ["/api/user/../option/", "/api/%75ser/", "/api//user", "/api/user/%2e%2e/"]) {
    expect(readTarget(`http://gw.example${path}`).path).toBe(path);
  }
});
