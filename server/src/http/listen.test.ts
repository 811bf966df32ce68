import { expect, test } from "bun:test";
import type { ClientRequest } from "./client-request.ts";
import { openErrorTexts } from "./error-texts.ts";
import { listen, type Listener } from "./listen.ts";

type Given = Partial<Pick<Parameters<typeof listen>[0], "onBug">> &
  Pick<Parameters<typeof listen>[0], "routes">;

function open({ routes, onBug }: Given): Listener {
  return listen({
    host: "127.0.0.1",
    port: 0,
    keepAliveSeconds: 75,
    routes,
    taskFolders: ["mj"],
    newRequestId: () => "id",
    clientIp: (peer) => peer,
    basePath: "",
    seen: () => ({ secure: false, basePath: "" }),
    errorText: openErrorTexts({ language: () => "zh", showQuota: String }),
    onBug:
      onBug ??
      ((error) => {
        throw error;
      }),
  });
}

function routesTo(console: (request: Request) => Promise<Response>) {
  return {
    relay: async (request: ClientRequest) =>
      request.respond({ status: 200, headers: {}, body: "relayed" }),
    playground: async () => {},
    console,
    other: async () => new Response("other"),
    demoCall: null,
  };
}

test("relayed calls are served between simultaneous calls of the console", async () => {
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  const begunIn: number[] = [];
  const listener = open({
    routes: routesTo(async () => {
      begunIn.push(turn);
      return new Response("console");
    }),
  });
  const get = async (path: string): Promise<string> =>
    await (await fetch(`http://127.0.0.1:${listener.port}${path}`)).text();
  count();
  const paths = Array.from({ length: 50 }, () => "/api/status");
  const texts = await Promise.all([...paths, "/v1/models", "/healthz"].map(get));
  isOver = true;
  listener.stop();

  expect(texts.slice(0, 50)).toEqual(paths.map(() => "console"));
  expect(texts.slice(50)).toEqual(["relayed", "other"]);
  const inOneTurn = Math.max(...begunIn.map((at) => begunIn.filter((each) => each === at).length));
  // A call may begin on each side of the moment at which this test counts a turn.
  expect(inOneTurn).toBeLessThanOrEqual(4);
});

test("what programs ask for beside the paths of an API is no page of the console", async () => {
  const listener = open({ routes: routesTo(async () => new Response("console")) });
  const get = async (path: string): Promise<string> =>
    await (await fetch(`http://127.0.0.1:${listener.port}${path}`)).text();
  for (const path of [
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration.json",
    "/managed/settings",
    "/v1",
    "/v1alpha/models",
    "/v1foo/bar",
    "/V1/models",
    "/v3/chat/completions",
    "//v10",
  ]) {
    expect(await get(path), path).toBe("relayed");
  }
  for (const path of ["/", "/token", "/vip", "/wallet/v1", "/managed-users"]) {
    expect(await get(path), path).toBe("other");
  }
  listener.stop();
});

test("a bug is told in the client's language", async () => {
  const bugs: string[] = [];
  const listener = open({
    routes: routesTo(() => Promise.reject(new Error("oops"))),
    onBug: (error, requestId) => void bugs.push(`${String(error)} ${requestId}`),
  });
  const said = async (language: string): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}/api/status`, {
      headers: { "accept-language": language },
    });
    expect([answer.status, answer.headers.get("x-request-id")]).toEqual([500, "id"]);
    return await answer.json();
  };
  const [en, zh] = [await said("en-US,en;q=0.9"), await said("zh-CN")];
  listener.stop();

  expect(en).toEqual({ success: false, message: "Internal server error (request id: id)" });
  expect(zh).toEqual({ success: false, message: "服务器内部错误 (request id: id)" });
  expect(bugs).toEqual(["Error: oops id", "Error: oops id"]);
});
