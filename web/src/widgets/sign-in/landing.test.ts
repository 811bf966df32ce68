import "#testing/dom.ts";
import { afterEach, expect, test } from "bun:test";
import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { type Answer, serve } from "#testing/serve.ts";
import { landingAddress, welcomeAddress } from "./landing.ts";
import { keepReturnAddress } from "./return-address.ts";
import { setupListWith, userListWith } from "#widgets/testing/checklists.ts";

let stop = () => {};
afterEach(() => stop());

const friend: ShortUser = {
  id: 7,
  username: "ann",
  display_name: "",
  role: 1,
  status: 1,
  group: "default",
};
const root: ShortUser = { ...friend, id: 1, role: 100 };

async function welcomeOf(user: ShortUser, answers: Readonly<Record<string, Answer>>) {
  const server = serve(answers);
  ({ stop } = server);
  const address = await welcomeAddress(user);
  return { address, asked: server.asked.map(({ call }) => call) };
}

const forUser = (change: Parameters<typeof userListWith>[0]) => ({
  "GET /api/user/checklist": { data: userListWith(change) },
});
const forRoot = (change: Parameters<typeof setupListWith>[0]) => ({
  "GET /api/setup/checklist": { data: setupListWith(change) },
});

test("A-093, O-565: a sign-in leads to the tokens, also while the start page has steps left, and asks nothing first", async () => {
  const server = serve(forUser({ calls: 0 }));
  ({ stop } = server);
  expect(await landingAddress(friend)).toBe("/token");
  expect(server.asked).toEqual([]);
});

test("root with steps left to set up signs in to the start page", async () => {
  const server = serve(forRoot({ done: ["provider"] }));
  ({ stop } = server);
  expect(await landingAddress(root)).toBe("/start");
});

test("a new user without calls is welcomed on the start page, and on the tokens after the first call", async () => {
  expect(await welcomeOf(friend, forUser({ calls: 0 }))).toMatchObject({ address: "/start" });
  expect(await welcomeOf(friend, forUser({ calls: 1 }))).toMatchObject({ address: "/token" });
  const dismissed = forUser({ calls: 0, dismissed: true });
  expect(await welcomeOf(friend, dismissed)).toMatchObject({ address: "/token" });
});

test("root is welcomed on the start page until every step is done, or the list is dismissed", async () => {
  expect(await welcomeOf(root, forRoot({ done: ["provider"] }))).toMatchObject({
    address: "/start",
  });
  const dismissed = forRoot({ dismissed: true });
  expect(await welcomeOf(root, dismissed)).toMatchObject({ address: "/token" });
  const all = setupListWith({}).done.length;
  expect(all).toBe(0);
  const done = [
    "provider",
    "prices",
    "token",
    "call",
    "users",
    "address",
    "mail",
    "second_factor",
    "backup",
  ] as const;
  expect(await welcomeOf(root, forRoot({ done: [...done] }))).toMatchObject({ address: "/token" });
});

test("the screen that the user was sent away from comes first, and nothing is asked", async () => {
  keepReturnAddress("/log?page=2", friend.id);
  expect(await welcomeOf(friend, forUser({ calls: 0 }))).toEqual({
    address: "/log?page=2",
    asked: [],
  });
  keepReturnAddress("/log?page=2", friend.id);
  expect(await landingAddress(friend)).toBe("/log?page=2");
});

test("a start page whose state cannot be read does not stop a registration", async () => {
  expect(await welcomeOf(friend, {})).toMatchObject({ address: "/token" });
});
