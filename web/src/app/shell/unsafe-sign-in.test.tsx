import { screen } from "#testing/dom.ts";
import { afterEach, expect, test } from "bun:test";
import { sessionStore } from "#api/session.ts";
import { renderAt } from "#testing/render.tsx";
import { UnsafeSignIn } from "./UnsafeSignIn.tsx";

afterEach(() => sessionStore.write(null));

const user = { id: 1, username: "a", display_name: "", status: 1, group: "default" } as const;

async function show(role: 1 | 100, fault: "plain-http" | "unknown-proxy"): Promise<void> {
  sessionStore.write({ ...user, role });
  await renderAt("/", () => (
    <>
      <UnsafeSignIn fault={fault} />
      <p>drawn</p>
    </>
  ));
  await screen.findByText("drawn");
}

test("every page warns root that sign-in is not encrypted", async () => {
  await show(100, "plain-http");
  expect(screen.getByText("登录未加密")).toBeTruthy();
});

test("root is warned of a TLS proxy that the server does not trust", async () => {
  await show(100, "unknown-proxy");
  expect(screen.getByText(/TOLLGATE_TRUSTED_PROXIES/)).toBeTruthy();
});

test("a user, who cannot mend it, is not told on every page", async () => {
  await show(1, "plain-http");
  expect(screen.queryByText("登录未加密")).toBeNull();
});
