import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { setLanguage, t } from "#i18n/t.ts";
import { userRow } from "#widgets/testing/user.ts";
import {
  isOffered,
  refusalOf,
  spendOf,
  splitAllowed,
  statusLook,
  type UserAction,
} from "./user-rules.ts";
import { openHistory, readOpened } from "./users.search.ts";

const root = { id: 1, role: 100 } as const;
const admin = { id: 2, role: 10 } as const;
const actions: readonly UserAction[] = [
  "delete",
  "demote",
  "disable",
  "edit",
  "enable",
  "history",
  "promote",
];
const offered = (...[row, caller]: [Parameters<typeof userRow>[0], typeof root | typeof admin]) =>
  actions.filter((action) => isOffered(action, userRow(row), caller));

test("A-236, A-237, A-257: root promotes users and demotes admins; admins are offered neither", () => {
  expect(offered({ role: 1 }, root)).toEqual(["delete", "disable", "edit", "history", "promote"]);
  expect(offered({ role: 10 }, root)).toEqual(["delete", "demote", "disable", "edit", "history"]);
  expect(offered({ role: 1 }, admin)).toEqual(["delete", "disable", "edit", "history"]);
  expect(offered({ role: 10 }, admin)).toEqual(["delete", "disable", "edit", "history"]);
});

test("A-238, A-239, A-254: each status offers the change that is possible; the third offers none", () => {
  expect(offered({ status: 2 }, admin)).toEqual(["delete", "edit", "enable", "history"]);
  expect(offered({ status: 3 }, admin)).toEqual(["delete", "edit", "history"]);
  expect(refusalOf("enable", userRow({ status: 3 }), root)).toBe("users.refusedBarred");
});

test("A-241, A-242: a deleted user shows as deleted and offers no action", async () => {
  const gone = { DeletedAt: "2026-11-21T00:00:00Z" };
  expect(offered(gone, root)).toEqual([]);
  expect(t(statusLook(userRow(gone)).label)).toBe("已注销");
  await setLanguage("en");
  expect(t(statusLook(userRow(gone)).label)).toBe("Deleted");
  for (const action of actions) {
    expect(refusalOf(action, userRow(gone), root)).toBe("users.refusedDeleted");
  }
});

test("A-252, A-253: each status has its own look", () => {
  const looks = ([1, 2, 3] as const).map((status) => statusLook(userRow({ status })));
  expect(looks.map(({ label }) => t(label))).toEqual(["已激活", "已封禁", "不可启用"]);
  expect(new Set(looks.map(({ tone }) => tone)).size).toBe(3);
});

test("A-260: admins are told why they cannot act on their own level or above", () => {
  for (const role of [10, 100] as const) {
    for (const action of ["delete", "disable", "edit", "group"] as const) {
      expect(refusalOf(action, userRow({ role }), admin)).toBe("users.refusedRank");
    }
    expect(refusalOf("history", userRow({ role }), admin)).toBe("users.refusedHistory");
  }
  const self = userRow({ id: admin.id, role: 10 });
  expect(refusalOf("edit", self, admin)).toBe("users.refusedSelf");
  expect(refusalOf("history", self, admin)).toBeNull();
  for (const action of actions) expect(refusalOf(action, userRow(), admin)).toBeNull();
});

test("A-261 to A-263: root cannot be disabled, deleted or demoted, with these messages", () => {
  const row = userRow({ id: root.id, role: 100 });
  const said = (action: UserAction) => {
    const why = refusalOf(action, row, root);
    return why === null ? null : t(why);
  };
  expect(said("disable")).toBe("无法禁用超级管理员用户");
  expect(said("delete")).toBe("无法删除超级管理员用户");
  expect(said("demote")).toBe("无法降级超级管理员用户");
  expect(said("edit")).toBeNull();
});

test("a bulk action is sent only for selected users for whom it is possible", () => {
  const rows = [
    userRow({ id: 3 }),
    userRow({ id: 4, role: 10 }),
    userRow({ id: 5, DeletedAt: "2026-11-21T00:00:00Z" }),
    userRow({ id: 6, status: 3 }),
  ];
  const parts = splitAllowed("enable", rows, admin);
  expect(parts.allowed.map(({ id }) => id)).toEqual([3]);
  expect(parts.refused.map(({ row, why }) => [row.id, why])).toEqual([
    [4, "users.refusedRank"],
    [5, "users.refusedDeleted"],
    [6, "users.refusedBarred"],
  ]);
});

test("the bar of a balance warns when most is used and when nothing is left", () => {
  const spend = (quota: number, used_quota: number) => spendOf(userRow({ quota, used_quota }));
  expect(spend(900, 100)).toEqual({ used: 100, total: 1_000, percent: 10, tone: "accent" });
  expect(spend(200, 800).tone).toBe("warning");
  expect(spend(0, 100)).toMatchObject({ percent: 100, tone: "danger" });
  expect(spend(-50, 100)).toMatchObject({ total: 100, percent: 100, tone: "danger" });
  expect(spend(0, 0)).toMatchObject({ percent: 0, tone: "neutral" });
  const gone = userRow({ quota: 0, used_quota: 100, DeletedAt: "2026-11-21T00:00:00Z" });
  expect(spendOf(gone).tone).toBe("neutral");
});

test("the address names the open sheet, a history with its page", () => {
  expect(readOpened("new")).toEqual({ kind: "new" });
  expect(readOpened("7")).toEqual({ kind: "edit", id: 7 });
  expect(openHistory(7)).toBe("history-7");
  expect(readOpened(openHistory(7))).toEqual({ kind: "history", id: 7, page: 1 });
  expect(readOpened(openHistory(7, 3))).toEqual({ kind: "history", id: 7, page: 3 });
  for (const wrong of ["", "x", "7-", "history-", "history-7-0x", "-7"]) {
    expect(readOpened(wrong)).toEqual({ kind: "none" });
  }
});
