import { act, screen } from "#testing/dom.ts";
import { afterEach, expect, test } from "bun:test";
import { statusStore } from "#api/status.ts";
import { patience } from "#testing/act.ts";
import { sentTo } from "#testing/foreign-frame.ts";
import { renderAt } from "#testing/render.tsx";
import { statusWith } from "#widgets/testing/status.ts";
import { Shell } from "./Shell.tsx";

afterEach(() => statusStore.write({ kind: "loading" }));

test("A-321 A-322: the sign-in page has the footer too, as soon as the status names one", async () => {
  statusStore.write({ kind: "loading" });
  await renderAt("/login", () => <Shell>the form</Shell>);
  expect(screen.queryByTitle("页脚")).toBeNull();
  const status = statusWith({ footer_html: "<b>operated by us</b>" });
  act(() => statusStore.write({ kind: "ready", status, error: null }));
  expect(await sentTo(await screen.findByTitle("页脚", {}, patience))).toContain("operated by us");
});
