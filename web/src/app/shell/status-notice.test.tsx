import { act, screen, waitFor } from "#testing/dom.ts";
import { afterEach, expect, test } from "bun:test";
import { CallError } from "#api/call.ts";
import { statusStore } from "#api/status.ts";
import { renderAt } from "#testing/render.tsx";
import { serve } from "#testing/serve.ts";
import { statusWith } from "#widgets/testing/status.ts";
import { StatusNotice } from "./StatusNotice.tsx";

let stop = () => {};
afterEach(() => {
  stop();
  statusStore.write({ kind: "loading" });
});

test("the word that the server is away goes by itself when the browser is back online", async () => {
  const status = statusWith({});
  ({ stop } = serve({ "GET /api/status": { data: status } }));
  statusStore.write({ kind: "ready", status, error: new CallError("offline", null) });
  await renderAt("/token", () => <StatusNotice />);
  expect(screen.getByText("无法连接到服务器")).toBeTruthy();
  act(() => void window.dispatchEvent(new Event("online")));
  await waitFor(() => expect(screen.queryByText("无法连接到服务器")).toBeNull());
});
