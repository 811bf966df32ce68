import { screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import { role } from "@tollgate/contract/endpoints/users.ts";
import type { ReactNode } from "react";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { setLanguage } from "#i18n/t.ts";
import { userRow } from "#widgets/testing/user.ts";
import { NewUserSheet, UserSheet } from "./UserSheet.tsx";

await setLanguage("zh");

let stop = () => {};
afterEach(() => stop());

async function open(sheet: ReactNode): Promise<void> {
  ({ stop } = serve({ "GET /api/group/": { data: ["default"] } }));
  await renderAt("/user", () => (
    <QueryClientProvider client={new QueryClient()}>{sheet}</QueryClientProvider>
  ));
  await screen.findByLabelText(/^密码/);
}

const isTemporary = () => screen.queryByText(/这是临时密码/) !== null;

test("whoever creates an account is told that its password has to be replaced at the first sign-in", async () => {
  await open(<NewUserSheet onClose={() => {}} />);
  expect(screen.getByText(/这是临时密码，用户首次登录时必须更换/)).toBeTruthy();
});

test("whoever sets another user's password is told that it is temporary, and of one's own that it is not", async () => {
  const user = userRow({ id: 7 });
  for (const [id, expected] of [
    [1, true],
    [7, false],
  ] as const) {
    await open(<UserSheet user={user} caller={{ id, role: role.enum.root }} onClose={() => {}} />);
    expect(isTemporary()).toBe(expected);
    stop();
  }
});
