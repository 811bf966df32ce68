import { expect, test } from "bun:test";
import { readBasePath, readTarget, withoutBasePath } from "./target.ts";

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

test("a base path is taken off where it is whole, and nothing else is", () => {
  const taken = (target: string) => withoutBasePath(target, "/gw");
  expect(["/gw", "/gw/", "/gw?a=1", "/gw/v1/models?a=/gw", "/gw/gw/x"].map(taken)).toEqual([
    "/",
    "/",
    "/?a=1",
    "/v1/models?a=/gw",
    "/gw/x",
  ]);
  for (const target of ["/", "/gwx", "/v1/gw/x", "/GW/x", "/%67w/x"]) {
    expect(taken(target)).toBe(target);
  }
});

// What stands in a page and in a cookie must be nothing but a path.
test("a base path is a plain path, and no address of another host", () => {
  expect(["", "/", "/gw", "/gw/", "/a/b.c/"].map(readBasePath)).toEqual([
    "",
    "",
    "/gw",
    "/gw",
    "/a/b.c",
  ]);
  for (const text of [
    "gw",
    "//evil.example",
    "/\\evil.example",
    "/gw//x",
    "/gw/../x",
    "/.x",
    "/gw;x",
    '/gw"x',
    "/gw x",
    "/%67w",
    "/gw?x",
    `/${"x".repeat(200)}`,
    "https://evil.example/gw",
  ]) {
    expect(readBasePath(text), text).toBeUndefined();
  }
});
