import "#testing/dom.ts";
import { expect, test } from "bun:test";
import type { User } from "@tollgate/contract/endpoints/users.ts";
import { statusWith } from "#widgets/testing/status.ts";
import { bindingRows } from "./binding-rows.ts";
import { selfWith } from "#widgets/testing/user.ts";

const typesOf = (self: User, changes: Parameters<typeof statusWith>[0]) =>
  bindingRows(self, statusWith(changes)).map(({ type }) => type);

test("A-132 to A-140: each identity that the server offers has its row, LinuxDO among them", () => {
  expect(typesOf(selfWith({}), {})).toEqual(["email"]);
  expect(
    typesOf(selfWith({}), {
      github_oauth: true,
      linuxdo_oauth: true,
      wechat_login: true,
      telegram_oauth: true,
      oidc_enabled: true,
      oidc_authorization_endpoint: "https://id.test/authorize",
    }),
  ).toEqual(["email", "github", "linuxdo", "oidc", "wechat", "telegram"]);
});

test("A-141: a bound identity can be unbound although root has switched its provider off since", () => {
  const self = selfWith({ github_id: "4711", telegram_id: "99" });
  expect(bindingRows(self, statusWith({}))).toEqual([
    { type: "email", bound: "", isOffered: true },
    { type: "github", bound: "4711", isOffered: false },
    { type: "telegram", bound: "99", isOffered: false },
  ]);
});
