import { act, fireEvent, screen, waitFor, within } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { renamePasskey } from "@tollgate/contract/endpoints/second-factor.ts";
import { createAccessToken } from "@tollgate/contract/endpoints/sign-in.ts";
import { call } from "#api/call.ts";
import { keepSession } from "#api/session.ts";
import { provideStepUp } from "#api/step-up.ts";
import { t } from "#i18n/t.ts";
import { renderAt } from "#testing/render.tsx";
import { provideDescribeError } from "#ui/feedback/describe-error.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { FormSheet } from "#ui/form/FormSheet.tsx";
import { describeFailure } from "#widgets/server/server-message.ts";
import { askStepUp } from "./ask-step-up.tsx";

provideDescribeError((error) => describeFailure(error, t));

const alice = {
  id: 7,
  username: "alice",
  display_name: "",
  role: 1,
  status: 1,
  group: "",
} as const;
const factors = {
  enabled: true,
  totp: true,
  passkeys: [],
  recovery_codes_left: 10,
  asks_password: true,
  passkeys_available: false,
};

let isFresh = false;
let sent: string[] = [];
let saved: string[] = [];
const fetched = spyOn(globalThis, "fetch");

beforeEach(() => {
  isFresh = false;
  sent = [];
  saved = [];
  keepSession(alice);
  provideStepUp(askStepUp);
  fetched.mockImplementation((async (url: string, { body }: RequestInit) => {
    sent.push(url);
    const no = (status: number, message: string) =>
      Response.json({ success: false, message, field: "code" }, { status });
    if (url === "/api/user/2fa") {
      return Response.json({ success: true, message: "", data: factors });
    }
    if (url === "/api/user/2fa/verify") {
      isFresh = body === '{"code":"123456"}';
      return isFresh
        ? Response.json({ success: true, message: "" })
        : no(200, "验证码错误或已被使用");
    }
    return isFresh
      ? Response.json({ success: true, message: "", data: "token" })
      : no(428, "请先完成两步验证");
    // Safe cast: the code under test calls `fetch` only with an address and options.
  }) as unknown as typeof fetch);
});
afterEach(() => {
  fetched.mockReset();
  keepSession(null);
});

type Form = { name: string };
const F = fieldsOf<Form>();

async function openForm() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const save = async ({ name = "" }: { name?: string | undefined }) => {
    // A save may consist of several calls; the dialog must open only once for all of them.
    await Promise.all([call(createAccessToken, {}), call(createAccessToken, {})]);
    saved.push(name);
  };
  await renderAt(
    "/",
    () => (
      <QueryClientProvider client={queries}>
        <FormSheet<Form, { name?: string | undefined }>
          open
          title="表单"
          schema={renamePasskey.input.pick({ name: true })}
          values={{ name: "" }}
          onSubmit={save}
          onClose={() => {}}
          submitLabel="提交"
        >
          <F.Text name="name" label="名字" />
        </FormSheet>
      </QueryClientProvider>
    ),
    { language: "zh" },
  );
  const field = screen.getByLabelText<HTMLInputElement>("名字");
  await type(field, "typed");
  await press(screen.getByRole("button", { name: "提交" }));
  return field;
}

const type = async (field: HTMLElement, value: string) =>
  await act(async () => void fireEvent.change(field, { target: { value } }));
const press = async (button: HTMLElement) => await act(async () => void fireEvent.click(button));
const question = async () => within(await screen.findByRole("dialog", { name: "请再次验证" }));

test("promises 6.5: a save of several calls asks once, and then goes on by itself", async () => {
  await openForm();
  expect(await screen.findAllByRole("dialog", { name: "请再次验证" })).toHaveLength(1);
  const asked = await question();
  const code = await asked.findByLabelText("验证码");
  await press(asked.getByRole("button", { name: "验证" }));
  expect(await asked.findByText("请输入验证码")).toBeTruthy();
  await type(code, "000000");
  await press(asked.getByRole("button", { name: "验证" }));
  expect(await asked.findByText("验证码错误或已被使用")).toBeTruthy();
  expect(saved).toEqual([]);
  await type(code, " 123456 ");
  await press(asked.getByRole("button", { name: "验证" }));
  await waitFor(() => expect(saved).toEqual(["typed"]));
  expect(screen.queryByRole("dialog", { name: "请再次验证" })).toBeNull();
  expect(sent.filter((url) => url === "/api/user/token")).toHaveLength(4);
});

test("after cancelling, the form is unchanged and says why nothing was saved", async () => {
  const field = await openForm();
  const asked = await question();
  await press(asked.getByRole("button", { name: "取消" }));
  expect((await screen.findAllByText("未完成两步验证，操作没有执行。"))[0]).toBeTruthy();
  expect([field.value, field.isConnected, saved]).toEqual(["typed", true, []]);
  // The next save opens the dialog again.
  await press(screen.getByRole("button", { name: "提交" }));
  expect(await (await question()).findByLabelText("验证码")).toBeTruthy();
});
