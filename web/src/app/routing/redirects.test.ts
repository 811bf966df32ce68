import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { redirects } from "./redirects.ts";
import { screens } from "#app/screens.ts";
import { parseSearch } from "./search.ts";

const toOf = (path: string, id = "") => redirects.find((one) => one.path === path)?.to(id);

test("A-057 A-058 A-071 A-072: the addresses of editors open the sheets of their lists", () => {
  expect(toOf("/channel/add")).toBe("/channel?open=new");
  expect(toOf("/channel/edit/$id", "5")).toBe("/channel?open=5");
  expect(toOf("/user/edit")).toBe("/setting?tab=personal");
  expect(toOf("/user/edit/$id", "7")).toBe("/user?open=7");
  // The id is escaped: characters in it, such as `&`, must not add other values to the query.
  expect(parseSearch((toOf("/user/edit/$id", "7&tab=x") ?? "").split("?")[1] ?? "")).toEqual({
    open: "7&tab=x",
  });
});

test("each redirect leads to a screen that needs a sign-in, as the redirect itself does", () => {
  for (const { path, to } of redirects) {
    const target = screens.find((screen) => screen.path === to("1").split("?")[0]);
    expect([path, target === undefined || target.access === "public"]).toEqual([path, false]);
    expect(screens.some((screen) => screen.path === path)).toBe(false);
  }
});

test("A-041–A-051 A-053 A-070 A-026: the specification's addresses for everybody and for root exist", () => {
  const accessOf = (path: string) => screens.find((screen) => screen.path === path)?.access;
  const open = [
    "/",
    "/login",
    "/register",
    "/reset",
    "/user/reset",
    "/pricing",
    "/about",
    "/chat",
    "/chat/$id",
    "/chat2link",
  ];
  expect(open.map(accessOf)).toEqual(open.map(() => "public"));
  expect(accessOf("/oauth/$type")).toBe("public");
  expect(["/newUser", "/newLog"].map(accessOf)).toEqual(["root", "root"]);
});
