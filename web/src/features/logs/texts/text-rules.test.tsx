import { screen } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { afterEach, expect, test } from "bun:test";
import { setLanguage } from "#i18n/t.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { TextRules } from "./TextRules.tsx";

await setLanguage("zh");

const rules = { enabled: true, days: 7, bytes_max: 65_536, dropped: null };

let stop = () => {};
afterEach(() => stop());

async function open(props: { readonly isRoot: boolean; readonly areHere: boolean }) {
  ({ stop } = serve({ "GET /api/log/texts": { data: rules } }));
  await renderAt("/log", () => (
    <QueryClientProvider client={new QueryClient()}>
      <TextRules {...props} />
    </QueryClientProvider>
  ));
  await screen.findByText("请求与响应的内容会保存 7 天");
  return document.body.textContent;
}

test("the page on which root reads texts does not send root to itself", async () => {
  const shown = await open({ isRoot: true, areHere: true });
  expect(shown).toContain("右键点击或展开一行即可查看");
  expect(shown).not.toContain("全站日志");
});

test("root is told on which other page texts can be read", async () => {
  expect(await open({ isRoot: true, areHere: false })).toContain("在“全站日志”中右键点击");
});

test("users are told who can read the texts of their calls", async () => {
  expect(await open({ isRoot: false, areHere: false })).toContain("仅本站运营者可以查看");
});
