import { act, fireEvent, screen, within } from "#testing/dom.ts";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { updateOption } from "@tollgate/contract/options/options.ts";
import { call } from "#api/call.ts";
import { provideOwnedQuestion } from "#api/owned.ts";
import { keepSession } from "#api/session.ts";
import { renderAt } from "#testing/render.tsx";
import { askOwned } from "./ask-owned.tsx";

const root = {
  id: 1,
  username: "root",
  display_name: "",
  role: 100,
  status: 1,
  group: "",
} as const;
const owned = {
  kind: "option",
  name: "RetryTimes",
  id: 0,
  source: "shop.yaml",
  applied_at: 1,
  drift: [],
};

let sent: string[] = [];
const fetched = spyOn(globalThis, "fetch");

beforeEach(() => {
  sent = [];
  keepSession(root);
  provideOwnedQuestion(askOwned);
  fetched.mockImplementation((async (url: string, { method }: RequestInit) => {
    sent.push(`${method} ${url}`);
    const data = url.startsWith("/api/configuration/owned") ? [owned] : undefined;
    return Response.json({ success: true, message: "", data });
    // Safe cast: the code under test calls `fetch` only with an address and options.
  }) as unknown as typeof fetch);
});
afterEach(() => {
  fetched.mockReset();
  provideOwnedQuestion(() => Promise.resolve(true));
  keepSession(null);
});

async function answer(button: string): Promise<void> {
  const dialog = await screen.findByRole("alertdialog");
  expect(dialog.textContent).toContain("shop.yaml");
  await act(async () => void fireEvent.click(within(dialog).getByRole("button", { name: button })));
}

test("what a file owns is changed only after the user has agreed", async () => {
  await renderAt("/", () => <p>page</p>);
  const kept = call(updateOption, { key: "RetryTimes", value: "7" }).catch(
    (error: unknown) => error,
  );
  await answer("取消");
  expect(String(await kept)).toContain("由配置文件管理");
  expect(sent.filter((one) => one.startsWith("PUT"))).toEqual([]);

  const changed = call(updateOption, { key: "RetryTimes", value: "7" });
  await answer("仍然更改");
  await changed;
  expect(sent.filter((one) => one.startsWith("PUT"))).toHaveLength(1);
});

test("nobody is asked about what no file owns", async () => {
  await renderAt("/", () => <p>page</p>);
  await call(updateOption, { key: "About", value: "us" });
  expect(screen.queryByRole("alertdialog")).toBeNull();
});
