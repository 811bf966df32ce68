import { act, screen } from "#testing/dom.ts";
import "#testing/texts.ts";
import { afterEach, expect, spyOn, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { patience } from "#testing/act.ts";
import { serve } from "#testing/serve.ts";
import { statusWith } from "#widgets/testing/status.ts";
import { lazyScreen } from "./lazy-screen.tsx";

let stop = () => {};
afterEach(() => {
  stop();
  sessionStorage.clear();
});

const noFile = () => new TypeError("Failed to fetch dynamically imported module: /assets/x.js");

/** Shows a screen whose code cannot be loaded until the test calls `arrive`. */
async function showLateScreen(server: Parameters<typeof serve>[0]) {
  stop = serve(server).stop;
  let isThere = false;
  let reloads = 0;
  const Late = lazyScreen(
    async () => {
      if (!isThere) throw noFile();
      return () => <p>the screen</p>;
    },
    () => (reloads += 1),
  );
  await Late.preload();
  await renderAt("/log", () => <Late />);
  return { arrive: () => (isThere = true), reloads: () => reloads };
}

test("a screen that cannot be loaded says so, keeps the page, and comes with the connection", async () => {
  const { arrive, reloads } = await showLateScreen({});
  expect(await screen.findByRole("alert")).toHaveProperty(
    "textContent",
    expect.stringContaining("无法加载此页面"),
  );
  expect(reloads()).toBe(0);
  arrive();
  await act(async () => void window.dispatchEvent(new Event("online")));
  await screen.findByText("the screen", {}, patience);
  expect(reloads()).toBe(0);
});

test("code that a new version has renamed is found by loading the page anew, once", async () => {
  // React and the router log the error that the error screen shows; the test silences them.
  const muted = (["error", "warn"] as const).map((name) =>
    spyOn(console, name).mockImplementation(() => {}),
  );
  const { reloads } = await showLateScreen({ "GET /api/status": { data: statusWith({}) } });
  await screen.findByRole("alert");
  expect(reloads()).toBe(1);
  await act(async () => void window.dispatchEvent(new Event("online")));
  await screen.findByText(/dynamically imported/, {}, patience);
  expect(reloads()).toBe(1);
  for (const spy of muted) spy.mockRestore();
});
