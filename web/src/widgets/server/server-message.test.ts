import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { CallError } from "#api/call.ts";
import { keepSession } from "#api/session.ts";
import { loadServerMessages, setLanguage, t } from "#i18n/t.ts";
import { describeFailure, showMessage } from "./server-message.ts";

const failed = (status: number, message = "令牌不存在"): CallError =>
  new CallError(message, new Response(null, { status, headers: { "x-oneapi-request-id": "r-1" } }));

test("A-427–A-433: each failure has the specification's message", () => {
  const titles = [200, 401, 405, 418, 429, 500].map((status) => describeFailure(failed(status), t));
  expect(titles.map(({ title }) => title)).toEqual([
    "令牌不存在",
    "未登录或登录已过期，请重新登录！",
    "本站仅用于演示，没有服务器",
    "错误：令牌不存在",
    "错误：请求次数过多，请稍后再试！",
    "错误：服务器内部错误，请联系管理员！",
  ]);
  expect(describeFailure(new CallError("offline", null), t).title).toBe("无法正常连接到服务器！");
  expect(describeFailure(new Error("bug"), t)).toEqual({ title: "请求失败", requestId: null });
  expect(describeFailure(failed(200, ""), t)).toEqual({ title: "请求失败", requestId: "r-1" });
});

test("root is never told to ask the administrator", () => {
  const kept = {
    id: 1,
    username: "root",
    display_name: "",
    role: 100,
    status: 1,
    group: "default",
  } as const;
  keepSession(kept);
  expect(describeFailure(failed(500), t)).toEqual({
    title: "服务器内部错误。原因见服务器日志，可按请求 ID 查找。",
    requestId: "r-1",
  });
  keepSession({ ...kept, role: 10 });
  expect(describeFailure(failed(500), t).title).toContain("请联系管理员");
  keepSession(null);
});

test("A-434 A-449: in English, messages of the server are translated too", async () => {
  await setLanguage("en");
  await loadServerMessages();
  expect(showMessage("令牌不存在", t)).toBe("This API key does not exist");
  expect(showMessage("upstream says no", t)).toBe("upstream says no");
  expect(describeFailure(failed(405), t).title).toBe("this site is only a demo, no server");
  expect(describeFailure(failed(418), t).title).toBe("Error: This API key does not exist");
  await setLanguage("zh");
  expect(showMessage("令牌不存在", t)).toBe("令牌不存在");
});
