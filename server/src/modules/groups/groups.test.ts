import { expect, test } from "bun:test";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import * as contract from "@tollgate/contract/endpoints/groups.ts";
import type { Caller } from "#http/handler.ts";
import { groupHandlers } from "./groups.handlers.ts";
import { groupsOpenTo } from "./groups.ts";

const user: Caller = {
  userId: 7,
  role: 1,
  username: "alice",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};
const visitor: Caller = { ...user, userId: 0, role: 0, username: "" };
const ratios = { default: "1", vip: "0.8", staff: "0" };

test("A-208: a user may use the usable groups and the own group if they exist", () => {
  const usable = { default: "默认分组", vip: "贵宾", gone: "已删除" };
  const open = (own: string) => [...groupsOpenTo({ usable, ratios, own })];

  expect(open("default")).toEqual([
    ["default", "默认分组"],
    ["vip", "贵宾"],
  ]);
  expect(open("staff")).toEqual([
    ["default", "默认分组"],
    ["vip", "贵宾"],
    ["staff", "用户分组"],
  ]);
  expect(open("deleted")).toEqual(open("default"));
  expect([...groupsOpenTo({ usable: {}, ratios, own: "constructor" })]).toEqual([]);
});

test("A-415 A-416: admins get names; everybody gets `desc` and `description`", async () => {
  const handlers = groupHandlers({
    prices: () => ({ ...defaultPriceList, GroupRatio: ratios }),
    usableGroups: () => ({ vip: "贵宾" }),
    groupOf: (userId) => (userId === 7 ? "staff" : undefined),
  });
  const ask = async (endpoint: Endpoint, caller: Caller) =>
    await handlers.find((handler) => handler.endpoint === endpoint)?.run({}, caller);
  const vip = { ratio: 0.8, desc: "贵宾", description: "贵宾" };

  expect(await ask(contract.listGroups, user)).toEqual(["default", "staff", "vip"]);
  expect(await ask(contract.listOwnGroups, user)).toEqual({
    vip,
    staff: { ratio: 0, desc: "用户分组", description: "用户分组" },
  });
  expect(await ask(contract.listUsableGroups, visitor)).toEqual({
    vip,
    default: { ratio: 1, desc: "用户分组", description: "用户分组" },
  });
});
