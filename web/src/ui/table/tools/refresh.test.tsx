import { act, screen } from "#testing/dom.ts";
import { afterEach, expect, jest, test } from "bun:test";
import { renderAt } from "#testing/render.tsx";
import { RefreshControl } from "./RefreshControl.tsx";

afterEach(() => {
  jest.useRealTimers();
  Reflect.deleteProperty(document, "hidden");
});

function pass(milliseconds: number): void {
  act(() => {
    jest.advanceTimersByTime(milliseconds);
  });
}

async function hide(hidden: boolean): Promise<void> {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  await act(async () => document.dispatchEvent(new Event("visibilitychange")));
}

async function startEveryTenSeconds(): Promise<() => number> {
  let asked = 0;
  localStorage.setItem("table:things", JSON.stringify({ refreshSeconds: 10 }));
  const refetch = () => asked++;
  await renderAt("/", () => (
    <RefreshControl id="things" updatedAt={0} isFetching={false} refetch={refetch} />
  ));
  return () => asked;
}

test("a list refreshes itself after its interval, and shows which one", async () => {
  jest.useFakeTimers();
  const asked = await startEveryTenSeconds();
  pass(9_900);
  expect(asked()).toBe(0);
  pass(200);
  expect(asked()).toBe(1);
  expect(screen.getByRole("button", { name: "自动刷新：每 10 秒" })).toBeTruthy();
});

test("a hidden page is not read; a read that is overdue happens when the page is visible again", async () => {
  jest.useFakeTimers();
  const asked = await startEveryTenSeconds();
  await hide(true);
  pass(60_000);
  expect(asked()).toBe(0);
  await hide(false);
  pass(10);
  expect(asked()).toBe(1);
});

test("an invalid stored interval means none", async () => {
  localStorage.setItem("table:things", '{"refreshSeconds":0.1}');
  await renderAt("/", () => (
    <RefreshControl id="things" updatedAt={0} isFetching={false} refetch={() => undefined} />
  ));
  expect(screen.getByRole("button", { name: "自动刷新" })).toBeTruthy();
});
