import { act, fireEvent, screen, waitFor } from "#testing/dom.ts";
import { afterEach, expect, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { noticeKey } from "./notice.ts";
import { NoticeBell } from "./NoticeBell.tsx";

let stop = () => {};
afterEach(() => stop());

const bell = () => screen.queryByRole("button", { name: /公告/ });

// The console opens a notice by itself only once in a page load, so this file has only one test.
test("A-194: a new notice opens by itself once, and then waits behind the bell", async () => {
  stop = serve({ "GET /api/notice": { data: " ## 维护 " } }).stop;
  await renderAt("/", () => <NoticeBell />);
  await screen.findByRole("dialog", { name: "公告" });
  fireEvent.click(await screen.findByRole("button", { name: "知道了" }));
  await waitFor(() => expect(screen.queryByRole("dialog") === null).toBe(true));
  expect(localStorage.getItem(noticeKey)).toBe("## 维护");
  expect(bell()?.getAttribute("aria-label")).toBe("公告");

  await act(async () => bell()?.click());
  expect(await screen.findByRole("dialog", { name: "公告" })).toBeTruthy();
});
