import "#testing/dom.ts";
import { createMemoryHistory } from "@tanstack/react-router";
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  expireSession,
  followOtherTabs,
  keepSession,
  readSession,
  sessionStore,
} from "#api/session.ts";
import { keepDraft, openDraft, takeDraft } from "#ui/form/draft.ts";
import { takeReturnAddress } from "#widgets/sign-in/return-address.ts";
import { followSession } from "./follow-session.ts";
import { router } from "./router.ts";

const ann = {
  id: 7,
  username: "ann",
  display_name: "",
  role: 1,
  status: 1,
  group: "default",
} as const;
const bob = { ...ann, id: 8, username: "bob" } as const;

followOtherTabs();
let unfollow = (): void => {};

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  sessionStore.write(null);
});
afterEach(() => unfollow());

/** Opens the console at an address, as a reload does: only what is stored is left. */
async function open(address: string): Promise<void> {
  router.update({ ...router.options, history: createMemoryHistory({ initialEntries: [address] }) });
  await router.load();
}

const shown = (): string => router.state.location.href;

test("A-424 A-425: a reload before the sign-in screen opened loses neither the notice nor the way back", async () => {
  keepSession(ann);
  expireSession(readSession());
  await open("/log?keyword=gpt");
  expect(shown()).toBe("/login?expired=true");
  expect(takeReturnAddress(ann.id)).toBe("/log?keyword=gpt");
});

test("the way back of an expired session is its user's alone, also after a reload", async () => {
  keepSession(ann);
  expireSession(readSession());
  await open("/channel?open=5");
  expect(takeReturnAddress(bob.id)).toBeNull();
});

test("A-424: a session that expires in another tab leads to the notice in this one, and drafts stay", async () => {
  keepSession(ann);
  await open("/log?keyword=gpt");
  unfollow = followSession(router);
  const close = openDraft("token", () => ({ name: "half a name" }));
  localStorage.setItem("session-expired", "7");
  localStorage.removeItem("user");
  window.dispatchEvent(new StorageEvent("storage", { key: "user" }));
  await router.load();
  expect([shown(), readSession()]).toEqual(["/login?expired=true", null]);
  expect(takeReturnAddress(ann.id)).toBe("/log?keyword=gpt");
  expect(takeDraft("token")).toEqual({ name: "half a name" });
  close();
});

test("a sign-out, here or in another tab, is no expired session", async () => {
  keepSession(ann);
  expireSession(readSession());
  keepSession(ann);
  keepSession(null);
  await open("/log");
  expect(shown()).toBe("/login");
  keepSession(ann);
  await open("/log");
  unfollow = followSession(router);
  localStorage.removeItem("user");
  window.dispatchEvent(new StorageEvent("storage", { key: "user" }));
  await router.load();
  expect(shown()).toBe("/login");
});

test("after a reload of the sign-in screen the same user gets the drafts back, another does not", () => {
  for (const [user, draft] of [
    [ann, { name: "half a name" }],
    [bob, null],
  ] as const) {
    keepSession(ann);
    expireSession(readSession());
    keepDraft("token", { name: "half a name" });
    unfollow = followSession(router);
    keepSession(user);
    expect(takeDraft("token")).toEqual(draft);
    unfollow();
    keepSession(null);
  }
});
