import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import {
  type Answer,
  type OneApiConsole,
  openOneApiConsole,
  type Page,
} from "./one-api-console.ts";
import { answered, expectShape, pageOf } from "./shapes.ts";

/** Read requests of root, written as consoles send them. */
const reads = [
  "/api/about",
  "/api/channel/",
  "/api/channel/models",
  "/api/channel/modelNames",
  "/api/channel/models_enabled",
  "/api/channel/new/search",
  "/api/channel/search",
  "/api/group/",
  "/api/home_page_content",
  "/api/log/",
  "/api/log/new/",
  "/api/log/new/stat",
  "/api/log/self/",
  "/api/log/self/stat",
  "/api/log/stat",
  "/api/models",
  "/api/notice",
  "/api/option/",
  "/api/pricing",
  "/api/setup",
  "/api/status",
  "/api/status/test",
  "/api/token/",
  "/api/token/newSearch",
  "/api/token/query",
  "/api/token/search",
  "/api/user/",
  "/api/user/aff",
  "/api/user/groups",
  "/api/user/models",
  "/api/user/query",
  "/api/user/search",
  "/api/user/self",
  "/api/user/self/groups",
] as const;

/** Endpoints that anybody may read, whatever cookie the browser has. */
const publicReads = [
  "/api/about",
  "/api/home_page_content",
  "/api/notice",
  "/api/pricing",
  "/api/setup",
  "/api/status",
  "/api/user/groups",
] as const;

/** Lists that count their pages from 1. */
const pagedLists = [
  "/api/log/",
  "/api/log/new/",
  "/api/log/self/",
  "/api/user/",
  "/api/user/search",
] as const;

const said = ({ status, body: { success, message } }: Answer) => [status, success, message];

for (const dialect of testDialects) {
  describe(`conventions of the console API on ${dialect}`, () => {
    let site: OneApiConsole;
    let root: Page;
    let user: Page;
    beforeAll(async () => {
      site = await openOneApiConsole(dialect);
      root = site.root;
      user = await site.user("alice");
    });
    afterAll(async () => await site.close());

    test("A-384: every read answers the envelope with and without final slash, without a redirect", async () => {
      for (const path of reads) {
        const bare = path.replace(/\/$/, "");
        for (const form of [bare, `${bare}/`]) {
          const answer = await root.get(form);
          expect([form, answer.status, answer.body.success, answer.body.message]).toEqual([
            form,
            200,
            true,
            form.startsWith("/api/status/test") ? "Server is running" : "",
          ]);
          expect(answer.headers.get("content-type")).toStartWith("application/json");
          expect(answer.headers.get("cache-control")).toBe("no-store");
          expect(answer.headers.get("x-oneapi-request-id")).toMatch(/^\d{14}\S{8,}$/);
        }
      }
    });

    test("an unknown path below /api answers a 404 in JSON", async () => {
      for (const path of ["/api/nothing", "/api/user/self/nothing", "/api"]) {
        const answer = await root.get(path);
        expect([answer.status, JSON.parse(answer.text)]).toEqual([
          404,
          {
            error: {
              message: `Invalid URL (GET ${path})`,
              type: "invalid_request_error",
              param: "",
              code: "",
            },
          },
        ]);
      }
    });

    test("fixed segments of a path are never read as an id", async () => {
      for (const path of ["models", "self", "aff", "groups"]) {
        expect(said(await user.get(`/api/user/${path}`))).toEqual([200, true, ""]);
      }
      for (const path of ["abc", "0", "-1", "1.5"]) {
        expect(said(await root.get(`/api/user/${path}`))).toEqual([200, false, "无效的参数"]);
      }
    });

    test("A-097: refusals use one-api's words, with status 401 only for callers not signed in", async () => {
      const as = async (headers: Record<string, string>, path = "/api/user/self") =>
        said(await user.send("GET", path, { headers }));

      expect(said(await site.visitor().get("/api/user/self"))).toEqual([
        401,
        false,
        "无权进行此操作，未登录且未提供 access token",
      ]);
      expect(
        said(
          await site
            .visitor()
            .send("GET", "/api/user/self", { headers: { authorization: "nobody's" } }),
        ),
      ).toEqual([200, false, "无权进行此操作，access token 无效"]);
      expect(await as({ "new-api-user": "" })).toEqual([
        401,
        false,
        "无权进行此操作，未提供 New-Api-User",
      ]);
      expect(await as({ "new-api-user": "alice" })).toEqual([
        401,
        false,
        "无权进行此操作，New-Api-User 格式错误",
      ]);
      for (const other of ["-1", String(root.userId)]) {
        expect(await as({ "new-api-user": other })).toEqual([
          401,
          false,
          "无权进行此操作，New-Api-User 与登录用户不匹配",
        ]);
      }
      expect(await as({}, "/api/channel/")).toEqual([200, false, "无权进行此操作，权限不足"]);
    });

    test("public reads never ask for a sign-in, even with an expired cookie and an unknown user id", async () => {
      const gone = await site.signIn("alice");
      await gone.get("/api/user/logout");
      for (const path of publicReads) {
        for (const page of [site.visitor(), gone]) {
          const answer = await page.send("GET", path, { headers: { "new-api-user": "-1" } });
          expect([path, answer.status, answer.body.success]).toEqual([path, 200, true]);
        }
      }
    });

    test("A-266, A-292: a page of another site changes nothing, whatever cookie the browser has", async () => {
      const save = async (headers: Record<string, string>) =>
        await user.send("PUT", "/api/user/self", { body: { display_name: "Mallory" }, headers });

      for (const headers of [
        { origin: "https://other.example" },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
      ]) {
        expect(said(await save(headers))).toEqual([403, false, "请求来源不被允许"]);
      }
      expect((await save({ "content-type": "text/plain" })).status).toBe(415);
      expect((await user.get("/api/user/self")).text).not.toContain("Mallory");
    });

    test("A-006, A-025, A-267 to A-269, A-292: callers below an endpoint's role are refused in words", async () => {
      const admin = await site.user("adam", 10);
      const below = [200, false, "无权进行此操作，权限不足"];
      for (const path of ["/api/user/", "/api/channel/", "/api/log/", "/api/group/"]) {
        expect([path, ...said(await user.get(path))]).toEqual([path, ...below]);
        expect([path, ...said(await admin.get(path))]).toEqual([path, 200, true, ""]);
      }
      const body = { key: "Notice", value: "mine" };
      expect(said(await admin.put("/api/option/", body))).toEqual(below);
      for (const path of ["/api/option/", "/api/log/new/", "/api/channel/new/search"]) {
        expect([path, ...said(await admin.get(path))]).toEqual([path, ...below]);
      }
      expect(said(await admin.delete("/api/log/?target_timestamp=1"))).toEqual(below);
      expect(said(await admin.post("/api/option/rest_model_ratio"))).toEqual(below);
    });

    test("A-452: pages 0, 1 and −1 are the first; ten rows by default, a hundred at most", async () => {
      const first = z.looseObject({ data: z.looseObject({ page: z.int(), page_size: z.int() }) });
      for (const path of pagedLists) {
        const of = async (query: string) => {
          const answer = await root.get(`${path}?${query}`);
          expectShape(answered(pageOf(z.unknown())), answer.body);
          const { data } = first.parse(answer.body);
          return [query, data.page, data.page_size];
        };
        for (const query of ["", "p=0", "p=1", "p=-1", "p=NaN", "page_size=0", "page_size="]) {
          expect(await of(query)).toEqual([query, 1, 10]);
        }
        for (const query of ["p=2&page_size=20", "p=2&size=20"]) {
          expect(await of(query)).toEqual([query, 2, 20]);
        }
        expect(await of("page_size=1000")).toEqual(["page_size=1000", 1, 100]);
      }
    });

    test("NaN, null, undefined, empty and unknown parameters of consoles count as absent", async () => {
      const junk =
        "channel=&group=null&type=NaN&username=undefined&token_name=&model_name=" +
        "&start_timestamp=NaN&end_timestamp=undefined&id_sort=maybe&status=&tag_mode=&_t=1&_t=2";
      const plain = await root.get("/api/log/");
      for (const path of ["/api/log/", "/api/log/self/", "/api/log/new/", "/api/log/stat"]) {
        expect(said(await root.get(`${path}?${junk}`))).toEqual([200, true, ""]);
      }
      expect((await root.get(`/api/log/?${junk}`)).body).toEqual(plain.body);
      expect((await root.get("/api/user/search?keyword=&group=undefined")).body).toEqual(
        (await root.get("/api/user/")).body,
      );
    });

    test("empty lists and maps are [] and {}, never null", async () => {
      for (const path of ["/api/token/", "/api/token/search", "/api/token/query"]) {
        expect((await user.get(path)).body).toEqual({
          success: true,
          message: "",
          data: [],
          total: 0,
        });
      }
      const empty = { items: [], total: 0, page: 1, page_size: 10 };
      expect((await user.get("/api/log/self/?type=2")).body["data"]).toEqual(empty);
      expect((await user.get("/api/user/models")).body["data"]).toEqual([]);
      expect((await root.get("/api/channel/models_enabled")).body["data"]).toEqual([]);
      expect((await root.get("/api/channel/")).body["data"]).toEqual([]);
      expect((await user.get("/api/log/self/stat")).body["data"]).toEqual({
        quota: 0,
        rpm: 0,
        tpm: 0,
      });
    });

    test("A-427: a session beyond its limit gets a 429 in the envelope, with Retry-After", async () => {
      const save = async (value: string) =>
        await root.put("/api/option/", { key: "ConsoleRequestsPerMinute", value });
      await save("3");
      const answers = [];
      for (let asked = 0; asked < 4; asked += 1) answers.push(await user.get("/api/user/self"));
      await save("0");
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      const [last] = answers.slice(-1);
      expect(last?.body).toEqual({ success: false, message: "请求次数过多，请稍后再试！" });
      expect(Number(last?.headers.get("retry-after"))).toBeWithin(1, 61);
      expect((await user.get("/api/user/self")).status).toBe(200);
    });

    test("an unreadable body answers 400, a body with a missing field 200", async () => {
      for (const body of ["{", "[]", '"x"', "null"]) {
        expect(said(await root.put("/api/option/", body))).toEqual([400, false, "无效的参数"]);
      }
      expect(said(await root.put("/api/option/", {}))).toEqual([200, false, "无效的参数：key"]);
      // Consoles send no body to an endpoint that needs no field.
      expect(said(await root.post("/api/channel/fix"))).toEqual([200, true, ""]);
    });
  });
}
