/**
 * A-436 (a form is sent once, however often its button is pressed), for every form that is shown
 * before a sign-in.
 */

import { fireEvent, screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, beforeEach, test } from "bun:test";
import type { ReactNode } from "react";
import { keepSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { renderAt } from "#testing/render.tsx";
import { submitTwice } from "#testing/submit-twice.ts";
import { statusWith } from "#widgets/testing/status.ts";
import { LoginScreen } from "./LoginScreen.tsx";
import { NewPasswordScreen } from "./NewPasswordScreen.tsx";
import { RegisterScreen } from "./RegisterScreen.tsx";
import { ResetConfirmScreen } from "./ResetConfirmScreen.tsx";
import { ResetScreen } from "./ResetScreen.tsx";
import { SetupScreen } from "./SetupScreen.tsx";
import { serve } from "./testing/server.ts";

let stop = () => {};
beforeEach(() => keepSession(null));
afterEach(() => {
  stop();
  keepSession(null);
});

const password = "long enough";

const forms: readonly {
  readonly at: string;
  readonly part: () => ReactNode;
  /** The texts to type; each key is the beginning of a field's label. */
  readonly typed: Readonly<Record<string, string>>;
  readonly button: string;
  readonly call: string;
}[] = [
  {
    at: "/login",
    part: () => <LoginScreen />,
    typed: { 用户名或邮箱: "ann", 密码: password },
    button: "登录",
    call: "POST /api/user/login",
  },
  {
    at: "/register",
    part: () => <RegisterScreen />,
    typed: { 用户名: "ann", 密码: password, 确认密码: password },
    button: "注册",
    call: "POST /api/user/register",
  },
  {
    at: "/reset",
    part: () => <ResetScreen />,
    typed: { 邮箱: "ann@example.com" },
    button: "发送重置邮件",
    call: "POST /api/reset_password",
  },
  {
    at: "/user/reset?email=a%40b.c&token=T1",
    part: () => <ResetConfirmScreen />,
    typed: {},
    button: "确认重置密码",
    call: "POST /api/user/reset",
  },
  {
    at: "/setup",
    part: () => <SetupScreen />,
    typed: { 初始化链接或令牌: "t-1", 密码: password, 确认密码: password },
    button: "创建账户并开始使用",
    call: "POST /api/setup",
  },
  {
    at: "/token",
    part: () => <NewPasswordScreen username="ann" />,
    typed: { 新密码: password, 再次输入新密码: password },
    button: "保存并继续",
    call: "PUT /api/user/self",
  },
];

for (const { at, part, typed, button, call } of forms) {
  test(`A-436: ${call} is sent once, however often the button is pressed`, async () => {
    statusStore.write({ kind: "ready", status: statusWith({}), error: null });
    // Only the answer to this read is simulated. All other calls are refused, so the form stays on
    // the screen.
    ({ stop } = serve({
      "GET /api/setup": { data: { status: false, root_init: false, database_type: "sqlite" } },
    }));
    const queries = new QueryClient();
    await renderAt(at, () => <QueryClientProvider client={queries}>{part()}</QueryClientProvider>);
    const submit = await screen.findByRole("button", { name: button });
    for (const [label, value] of Object.entries(typed)) {
      const name = new RegExp(`^${label}`);
      fireEvent.change(screen.getByLabelText(name, { selector: "input" }), { target: { value } });
    }
    await submitTwice(submit, call);
  });
}
