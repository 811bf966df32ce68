import { act, cleanup, fireEvent, screen, waitFor, within } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, spyOn, test } from "bun:test";
import type { SecondFactors } from "@tollgate/contract/endpoints/second-factor.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { keepSession } from "#api/session.ts";
import { renderAt } from "#testing/render.tsx";
import { withTexts } from "#i18n/t.ts";
import { SecurityScreen } from "./SecurityScreen.tsx";

const none: SecondFactors = {
  enabled: false,
  totp: false,
  passkeys: [],
  recovery_codes_left: 0,
  asks_password: true,
  passkeys_available: true,
};
const passkey = { id: 5, name: "laptop", created_at: 1_700_000_000, used_at: 0 };
const all = { ...none, enabled: true, totp: true, passkeys: [passkey], recovery_codes_left: 2 };
const codes = ["aaaaa-bbbbb", "ccccc-ddddd"];

let restore = () => {};
afterEach(() => restore());

type Answers = Readonly<Record<string, unknown>>;

/**
 * Opens the screen with simulated answers.
 *
 * @param answers the data of each answer by method and path; an `Error` makes it a refusal.
 */
async function open(factors: SecondFactors, answers: Answers = {}, userRole: 1 | 100 = 1) {
  const sent: { readonly call: string; readonly body: unknown }[] = [];
  const fetching = spyOn(globalThis, "fetch").mockImplementation((async (
    url: string,
    request: RequestInit,
  ) => {
    const call = `${request.method ?? "GET"} ${new URL(url, "http://localhost").pathname}`;
    if (call === "GET /api/user/2fa") return Response.json(ok(factors));
    sent.push({ call, body: readBody(request) });
    const data = answers[call];
    return Response.json(
      data instanceof Error
        ? { success: false, message: data.message, field: "password" }
        : ok(data),
    );
    // Safe cast: `call` passes an address and options, the only form this function supports.
  }) as unknown as typeof fetch);
  restore = () => fetching.mockRestore();
  const user = { id: 1, username: "alice", display_name: "", status: 1, group: "default" } as const;
  cleanup();
  keepSession({ ...user, role: userRole });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  await Promise.all([
    withTexts("account", Promise.resolve()),
    withTexts("security", Promise.resolve()),
  ]);
  await renderAt("/setting", () => (
    <QueryClientProvider client={queries}>
      <SecurityScreen />
    </QueryClientProvider>
  ));
  await screen.findByText("验证器应用");
  return { sent, paths: () => sent.map(({ call }) => call) };
}

function readBody({ body }: RequestInit): unknown {
  return typeof body === "string" ? JSON.parse(body) : null;
}

const ok = (data: unknown) => ({ success: true, message: "", data });
const dialog = async (name: string) => within(await screen.findByRole("dialog", { name }));
const press = async (button: HTMLElement) => await act(async () => void fireEvent.click(button));
const type = async (field: HTMLElement, value: string) =>
  await act(async () => void fireEvent.change(field, { target: { value } }));

test("promises 6.5: an app is set up by password, secret and code; recovery codes are shown until kept", async () => {
  const secret = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const { sent } = await open(none, {
    "POST /api/user/2fa/setup": { secret, uri: `otpauth://totp/Tollgate:alice?secret=${secret}` },
    "POST /api/user/2fa/enable": { recovery_codes: codes },
  });
  await press(screen.getByRole("button", { name: "设置验证器应用" }));
  const setUp = await dialog("设置验证器应用");
  await press(setUp.getByRole("button", { name: "下一步" }));
  expect(await setUp.findByText("请输入当前密码")).toBeTruthy();
  expect(sent).toEqual([]);
  await type(setUp.getByLabelText(/当前密码/), "correct horse");
  await press(setUp.getByRole("button", { name: "下一步" }));
  expect(await setUp.findByText("ABCD EFGH IJKL MNOP QRST UVWX YZ23 4567")).toBeTruthy();
  await type(setUp.getByLabelText(/验证码/), " 123456 ");
  await press(setUp.getByRole("button", { name: "启用" }));

  const kept = await dialog("请保存恢复码");
  for (const code of codes) expect(kept.getByText(code)).toBeTruthy();
  for (const close of ["完成", "关闭"]) {
    await press(kept.getByRole("button", { name: close }));
    expect(kept.getByText("请先保存恢复码并勾选，再关闭。")).toBeTruthy();
  }
  await press(kept.getByRole("checkbox"));
  await press(kept.getByRole("button", { name: "完成" }));
  await waitFor(() => expect(screen.queryByText(codes[0] ?? "")).toBeNull());
  expect(sent.map(({ body }) => body)).toEqual([{ password: "correct horse" }, { code: "123456" }]);
});

test("a wrong password is refused at its field", async () => {
  await open(none, { "POST /api/user/2fa/setup": new Error("当前密码不正确") });
  await press(screen.getByRole("button", { name: "设置验证器应用" }));
  const setUp = await dialog("设置验证器应用");
  await type(setUp.getByLabelText(/当前密码/), "wrong horse");
  await press(setUp.getByRole("button", { name: "下一步" }));
  expect((await setUp.findByRole("alert")).textContent).toBe("当前密码不正确");
});

test("an account without a password, or with another factor, is not asked for the password", async () => {
  for (const factors of [
    { ...none, asks_password: false },
    { ...all, totp: false },
  ]) {
    const { paths } = await open(factors, {
      "POST /api/user/2fa/setup": { secret: "ABCD", uri: "otpauth://totp/a" },
    });
    await press(screen.getByRole("button", { name: "设置验证器应用" }));
    expect(await (await dialog("设置验证器应用")).findByLabelText(/验证码/)).toBeTruthy();
    expect(paths()).toEqual(["POST /api/user/2fa/setup"]);
    restore();
  }
});

test("switching a factor off says what remains; few recovery codes lead to a warning", async () => {
  const { sent, paths } = await open(all);
  expect(screen.getByText("恢复码只剩 2 个")).toBeTruthy();
  await press(screen.getByRole("button", { name: "停用验证器应用" }));
  const question = within(await screen.findByRole("alertdialog"));
  expect(question.getByText("以后只用通行密钥和恢复码完成两步验证。")).toBeTruthy();
  await press(question.getByRole("button", { name: "停用" }));
  await waitFor(() => expect(paths()).toEqual(["POST /api/user/2fa/disable"]));

  await press(screen.getByRole("button", { name: "重命名“laptop”" }));
  const rename = await dialog("重命名通行密钥");
  await type(rename.getByLabelText("名称"), "desk");
  await press(rename.getByRole("button", { name: "保存" }));
  await waitFor(() => expect(sent.at(-1)?.call).toBe("PUT /api/user/passkey/5"));
  expect(sent.at(-1)?.body).toMatchObject({ name: "desk" });
});

test("removing the last factor says that the password alone will do", async () => {
  const { paths } = await open({ ...all, totp: false });
  await press(screen.getByRole("button", { name: "移除“laptop”" }));
  const question = within(await screen.findByRole("alertdialog"));
  expect(question.getByText(/这是最后一种验证方式/)).toBeTruthy();
  await press(question.getByRole("button", { name: "移除" }));
  await waitFor(() => expect(paths()).toEqual(["DELETE /api/user/passkey/5"]));
});

test("promises 6.5: root sees what needs a second factor, other users do not", async () => {
  await open(none, {}, role.enum.root);
  expect(screen.getByText("建议为超级管理员启用两步验证")).toBeTruthy();
  restore();
  await open(none);
  expect(screen.queryByText("建议为超级管理员启用两步验证")).toBeNull();
});
