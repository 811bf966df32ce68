import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { readConfig } from "#config.ts";

const read = (env: Readonly<Record<string, string>>) =>
  readConfig({ TOLLGATE_DATA_DIR: mkdtempSync(join(tmpdir(), "tollgate-")), ...env });

test("W7: the environment names proxies as for other programs", () => {
  const { proxies } = read({
    HTTPS_PROXY: "http://upper.test:3128",
    https_proxy: "http://lower.test:3128",
    ALL_PROXY: "socks5://all.test",
    no_proxy: ".inner.test",
  });
  expect([proxies.https?.host, proxies.http?.host, proxies.except]).toEqual([
    "lower.test",
    "all.test",
    ".inner.test",
  ]);
  expect(read({}).proxies).toEqual({ http: null, https: null, except: "" });
  expect(() => read({ HTTP_PROXY: "proxy.test:3128" })).toThrow(
    "HTTP_PROXY cannot be used: must be the URL of a proxy",
  );
});

test("calls are traced only when the environment names a collector, and a share of them if it says so", () => {
  expect(read({}).traces).toBeNull();
  expect(read({ OTEL_TRACES_SAMPLER_ARG: "0.5" }).traces).toBeNull();
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };
  expect(read(collector).traces).toEqual({ share: 1 });
  expect(read({ ...collector, OTEL_TRACES_SAMPLER_ARG: "0.1" }).traces).toEqual({ share: 0.1 });
  expect(read({ ...collector, OTEL_SDK_DISABLED: "true" }).traces).toBeNull();
  expect(read({ ...collector, OTEL_TRACES_EXPORTER: "none" }).traces).toBeNull();
  expect(() => read({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" })).toThrow(
    "must be the URL of a collector",
  );
  expect(() => read({ ...collector, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toThrow(
    "must be http/json",
  );
});

test("a base path is refused unless it is a path, and where the gateway has a path of this name", () => {
  const basePathOf = (path: string) => read({ TOLLGATE_BASE_PATH: path }).basePath;
  expect(["/gw/", "/tools/gateway", "/", ""].map(basePathOf)).toEqual([
    "/gw",
    "/tools/gateway",
    "",
    "",
  ]);
  expect(() => basePathOf("gw")).toThrow(
    "TOLLGATE_BASE_PATH cannot be used: must be a path such as /gateway.",
  );
  for (const path of ["/v1", "/api", "/api/gw", "/pg", "/mj", "/suno", "/assets", "/healthz"]) {
    expect(() => basePathOf(path), path).toThrow("is a path of the gateway's own");
  }
});
