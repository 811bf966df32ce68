import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { PageSources } from "#http/security-headers.ts";
import { openPages, type Pages } from "./pages.ts";
import { readWebFiles } from "./web-files.ts";

const page = '<!doctype html><html lang="zh"><title>console</title>';
const script = "export const answer = 42;";
const folder = mkdtempSync(join(tmpdir(), "tollgate-pages-"));
let pages: Pages;

beforeAll(() => {
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), page);
  writeFileSync(join(folder, "frame.html"), "<!doctype html>");
  writeFileSync(join(folder, "logo.svg"), "<svg/>");
  writeFileSync(join(folder, "assets/main-1a2b.js"), script);
  writeFileSync(join(folder, "assets/main-1a2b.js.br"), brotliCompressSync(script));
  writeFileSync(join(folder, "assets/main-1a2b.js.gz"), gzipSync(script));
  pages = openPages({ ...deps, files: readWebFiles(folder) });
});
afterAll(() => rmSync(folder, { recursive: true }));

const quiet = { scripts: [], frames: ["https://status.example"], images: [], popups: false };
let sources: PageSources = quiet;
let hasOwnHome = false;

const deps = {
  ready: () => true,
  metrics: async () => "metric 1\n",
  metricsCidrs: [],
  sources: () => sources,
  hasOwnHome: () => hasOwnHome,
};

async function get(path: string, headers: Record<string, string> = {}, method = "GET") {
  const request = new Request(`https://gateway.test${path}`, { method, headers });
  const meta = { clientIp: "203.0.113.1", requestId: "r" };
  return await pages(request, meta, path);
}

test("every console path gets the same page, and an unknown file is not found", async () => {
  for (const path of ["/", "/token", "/channel/edit/5", "/no-such-page", "/setup"]) {
    const answer = await get(path);
    expect(answer.status, path).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await answer.text()).toBe(page);
  }
  for (const path of ["/assets/gone-9f.js", "/../package.json", "/assets/main-1a2b.js.br"]) {
    expect((await get(path)).status, path).toBe(404);
  }
  expect((await get("/token", {}, "POST")).status).toBe(404);
});

test("a program that asks beside the API gets JSON, never the console's page", async () => {
  for (const [path, method, accept] of [
    ["/chat/completions", "POST", "application/json"],
    ["/messages", "POST", "*/*"],
    ["/models", "GET", "application/json"],
    ["/oauth/authorize-server", "GET", "application/json, text/event-stream"],
    ["/backend-api/codex/responses", "POST", "text/event-stream"],
  ] as const) {
    const answer = await get(path, { accept }, method);
    expect(answer.status, path).toBe(404);
    expect(await answer.json()).toMatchObject({
      error: { message: `Invalid URL (${method} ${path})` },
    });
  }
  for (const accept of [
    "text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8",
    "*/*",
  ]) {
    expect((await get("/models", { accept })).status, accept).toBe(200);
  }
  expect((await get("/", { accept: "application/json" })).status).toBe(200);
});

test("the home page says when root wrote one, even to a browser that has the page cached", async () => {
  const kept = { "if-none-match": (await get("/")).headers.get("etag") ?? "" };
  expect((await get("/", kept)).status).toBe(304);
  hasOwnHome = true;
  const marked = await get("/", { ...kept, "accept-encoding": "br" });
  const [text, login] = [await marked.text(), await (await get("/login")).text()];
  hasOwnHome = false;
  expect(marked.status).toBe(200);
  expect(text).toBe(page.replace("<html", '<html data-home="own"'));
  expect(login).toBe(page);
  const ownTag = { "if-none-match": marked.headers.get("etag") ?? "" };
  expect((await get("/", ownTag)).status).toBe(200);
  expect((await get("/", kept)).status).toBe(304);
});

test("P-C3: the page may frame only those foreign pages that an administrator named", async () => {
  const policy = (await get("/about")).headers.get("content-security-policy");
  expect(policy).toContain("frame-src 'self' https://status.example;");
  expect(policy).toContain("script-src 'self';");
  expect((await get("/logo.svg")).headers.get("content-security-policy")).toBeNull();
});

test("P-C3: a newly allowed source is allowed at once, even if the browser has a cached page", async () => {
  const before = await get("/login");
  const kept = { "if-none-match": before.headers.get("etag") ?? "" };
  expect((await get("/login", kept)).status).toBe(304);
  const widget = "https://widget.example";
  sources = { scripts: [widget], frames: [widget], images: [widget], popups: true };
  const { status, headers } = await get("/login", kept);
  sources = quiet;
  expect(status).toBe(200);
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain(`script-src 'self' ${widget};`);
  expect(policy).toContain(`frame-src 'self' ${widget};`);
  expect(policy).not.toContain("unsafe-eval");
  // The popup that a sign-in widget opens answers the frame that opened it; a stricter policy would
  // cut that connection.
  expect(headers.get("cross-origin-opener-policy")).toBe("same-origin-allow-popups");
  expect((await get("/login", kept)).status).toBe(304);
  expect(before.headers.get("cross-origin-opener-policy")).toBe("same-origin");
});

test("P-C3: the console's page loads pictures from itself and from configured origins only", async () => {
  const rulesOf = async () => {
    const policy = (await get("/playground")).headers.get("content-security-policy") ?? "";
    return policy.split("; ").filter((rule) => rule.startsWith("img-src"));
  };
  expect(await rulesOf()).toEqual(["img-src 'self' data:"]);
  sources = { ...quiet, images: ["https://img.example"] };
  const named = await rulesOf();
  sources = quiet;
  expect(named).toEqual(["img-src 'self' https://img.example data:"]);
});

test("P-C3: the page for HTML of others has an opaque origin and a policy of its own", async () => {
  const { headers } = await get("/frame.html");
  const rules = (headers.get("content-security-policy") ?? "").split("; ");
  expect(rules).toContain("sandbox allow-popups allow-popups-to-escape-sandbox allow-scripts");
  expect(rules).toContain("script-src 'self'");
  expect(rules).toContain("default-src 'none'");
  expect(rules).toContain("frame-ancestors 'self'");
  expect(rules).toContain("img-src https: http: data:");
});

test("P-C3: the page runs the inline script that it was built with, and no other", async () => {
  const text = "document.title = 1;\n";
  const name = join(folder, "index.html");
  writeFileSync(name, `${page}<script data-a="1">${text}</script><script src="/a.js"></script>`);
  const built = openPages({ ...deps, files: readWebFiles(folder) });
  writeFileSync(name, page);
  const meta = { clientIp: "203.0.113.1", requestId: "r" };
  const { headers } = await built(new Request("https://gateway.test/login"), meta, "/login");
  const hash = new Bun.CryptoHasher("sha256").update(text).digest("base64");
  expect((headers.get("content-security-policy") ?? "").split("; ")).toContain(
    `script-src 'self' 'sha256-${hash}'`,
  );
});

// After an update of the server, a cached page would ask for files that no longer exist.
test("files with a hash in their names are cached for ever, the page is revalidated each time", async () => {
  expect((await get("/assets/main-1a2b.js")).headers.get("cache-control")).toBe(
    "public, max-age=31536000, immutable",
  );
  for (const path of ["/", "/token", "/logo.svg"]) {
    expect((await get(path)).headers.get("cache-control"), path).toBe("no-cache");
  }
});

test("P-C3: the page runs only the console's scripts, and foreign pages cannot frame it", async () => {
  const { headers } = await get("/login");
  const policy = headers.get("content-security-policy") ?? "";
  for (const rule of [
    "default-src 'self'",
    "script-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ]) {
    expect(policy.split("; ")).toContain(rule);
  }
  for (const path of ["/login", "/assets/main-1a2b.js", "/logo.svg"]) {
    const answer = await get(path);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(answer.headers.get("strict-transport-security")).toContain("max-age=31536000");
  }
});

describe("compressed copies", () => {
  const path = "/assets/main-1a2b.js";

  test("the best encoding that the client accepts is sent", async () => {
    const encodingOf = async (accepted: string) =>
      (await get(path, { "accept-encoding": accepted })).headers.get("content-encoding");

    expect(await encodingOf("gzip, deflate, br, zstd")).toBe("br");
    expect(await encodingOf("gzip")).toBe("gzip");
    expect(await encodingOf("br;q=0, gzip;q=0.5")).toBe("gzip");
    expect(await encodingOf("*")).toBe("br");
    expect(await encodingOf("identity")).toBeNull();
    expect(await encodingOf("")).toBeNull();
  });

  test("each copy has the same contents, its own ETag, and headers that keep caches apart", async () => {
    const answer = await get(path, { "accept-encoding": "gzip" });
    expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(answer.headers.get("vary")).toBe("accept-encoding");
    expect(new TextDecoder().decode(Bun.gunzipSync(await answer.arrayBuffer()))).toBe(script);
    expect(await (await get(path, { "accept-encoding": "identity" })).text()).toBe(script);
    const tags = ["br", "gzip", "identity"].map(
      async (name) => (await get(path, { "accept-encoding": name })).headers.get("etag") ?? "",
    );
    expect(new Set(await Promise.all(tags)).size).toBe(3);
  });
});

test("a copy that the browser has cached is not sent again", async () => {
  const etag = (await get("/token")).headers.get("etag") ?? "";
  expect(etag).not.toBe("");
  for (const known of [etag, `"other", ${etag}`, `W/${etag}`]) {
    const answer = await get("/login", { "if-none-match": known });
    expect(answer.status, known).toBe(304);
    expect(await answer.text()).toBe("");
  }
  expect((await get("/login", { "if-none-match": '"other"' })).status).toBe(200);
});

test("metrics are hidden from clients that are not on the list", async () => {
  expect((await get("/metrics")).status).toBe(404);
});

test("a server without a built console says how to build one", async () => {
  const bare = openPages({ ...deps, files: new Map() });
  const meta = { clientIp: "203.0.113.1", requestId: "r" };
  const answer = await bare(new Request("https://gateway.test/token"), meta, "/token");
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain("npm start");
});

test("below a path, all addresses in a page begin with the path, and the page says it", async () => {
  const folderBelow = mkdtempSync(join(tmpdir(), "tollgate-pages-"));
  const inline = "start()";
  const whole = (base: string, told = "") =>
    `<!doctype html><html ${told}lang="zh"><link href="${base}/logo.svg" />` +
    `<script data-console="${base}/assets/a.js ${base}/assets/b.js">${inline}</script>` +
    `<a href="${base}/">home</a><a href="//other.example/">other</a><a href="#part">part</a>` +
    `<p title="/logo.svg">a / b</p><script type="module" src="${base}/assets/main.js"></script>`;
  writeFileSync(join(folderBelow, "index.html"), whole(""));
  const files = readWebFiles(folderBelow);
  const opened = openPages({ ...deps, files });
  const read = async (base: string) => {
    const headers = base === "" ? {} : { "x-forwarded-prefix": base };
    const request = new Request("https://gateway.test/token", { headers });
    return await opened(request, { clientIp: "203.0.113.1", requestId: "r" }, "/token");
  };
  const [plain, below, elsewhere] = [await read(""), await read("/gw"), await read("/a/b")];
  expect(await plain.text()).toBe(whole(""));
  expect(await below.text()).toBe(whole("/gw", 'data-base="/gw" '));
  expect(await elsewhere.text()).toBe(whole("/a/b", 'data-base="/a/b" '));
  const tags = [plain, below, elsewhere].map(({ headers }) => headers.get("etag"));
  expect(new Set(tags).size).toBe(3);
  expect(below.headers.get("content-security-policy")).toContain(
    files.get("/index.html")?.inlineScripts[0] ?? "none",
  );
  rmSync(folderBelow, { recursive: true });
});
