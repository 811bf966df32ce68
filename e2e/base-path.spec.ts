/** The console below a path, behind nginx, with another program on the same host. */

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { type Product, rootAccount, signIn, startProduct } from "./product.ts";
import { expect, signInByForm, test, watchFaults } from "./support.ts";

const model = "gpt-4o-mini";

test.use({ as: null, permissions: ["clipboard-read", "clipboard-write"] });

/** What the other program keeps in the browser: names that the console has, too. */
const othersStorage = { user: '{"id":7}', status: "{}", theme: "dark", i18nextLng: "en" };

/** Starts a program that takes the whole host for itself. */
async function startOther(): Promise<Server> {
  const server = createServer((_, response) => {
    response.setHeader("set-cookie", [
      "sid=other; Path=/",
      "bid=other; Path=/",
      "dev=other; Path=/",
    ]);
    response.setHeader("content-type", "text/html").end("<h1>the other program</h1>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

// Safe cast: a server that listens on a port has an address of this form.
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function freePort(): Promise<number> {
  const server = await startOther();
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Starts nginx: `/gw/` is the gateway's, the rest of the host the other program's. It says that the
 * browser uses HTTPS, which browsers accept on this machine.
 */
async function startNginx(product: Product, other: Server) {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-nginx-"));
  mkdirSync(join(folder, "logs"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(" ");
  writeFileSync(
    join(folder, "nginx.conf"),
    `${process.getuid?.() === 0 ? "user root;" : ""} master_process off; pid ${folder}/nginx.pid;
    error_log stderr crit;
    events {}
    http {
      access_log off; ${temporary}
      server {
        listen 127.0.0.1:${port};
        location /gw/ {
          proxy_pass ${new URL(product.origin).origin};
          proxy_http_version 1.1;
          proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
          proxy_set_header X-Forwarded-Proto https;
          proxy_buffering off;
        }
        location / { proxy_pass http://127.0.0.1:${portOf(other)}; }
      }
    }`,
  );
  const child = spawn(
    process.env["TOLLGATE_TEST_NGINX"] ?? "nginx",
    ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr", "-g", "daemon off;"],
    { stdio: "inherit" },
  );
  const gone = new Promise((resolve) => child.once("close", resolve));
  const host = `http://127.0.0.1:${port}`;
  await expect
    .poll(async () => (await fetch(host).catch(() => null))?.status, { timeout: 10_000 })
    .toBe(200);
  return {
    host,
    async stop() {
      child.kill("SIGTERM");
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Collects what the page asks its host for outside of the path. */
function watchStrays(page: Page, host: string): string[] {
  const strays: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin === host && !`${url.pathname}/`.startsWith("/gw/")) strays.push(url.pathname);
  });
  return strays;
}

async function addChannel(product: Product, upstream: string): Promise<void> {
  const { origin } = new URL(product.origin);
  const root = await signIn(product.origin, rootAccount);
  expect(root.cookie).toMatch(/^sid-gw=/);
  await root.call("POST", "/api/channel/", {
    name: "first",
    type: 1,
    key: "sk-upstream",
    base_url: upstream,
    models: model,
    groups: ["default"],
  });
  const status = await fetch(`${origin}/api/status`);
  expect(status.status).toBe(200);
}

test("sign in below a path, make a token, call, and read the log, while another program has the host", async ({
  page,
  site,
}) => {
  const faults = watchFaults(page);
  const product = await startProduct({
    account: rootAccount,
    settings: { TOLLGATE_BASE_PATH: "/gw", TOLLGATE_TRUSTED_PROXIES: "127.0.0.1" },
  });
  const other = await startOther();
  const nginx = await startNginx(product, other);
  const { host } = nginx;
  try {
    await fetch(`${site.upstream}/__demo/scripts/${model}`, {
      method: "PUT",
      body: JSON.stringify({ promptTokens: 10, events: 5 }),
    });
    await addChannel(product, site.upstream);
    await page.goto(`${host}/`);
    await expect(page.getByRole("heading", { name: "the other program" })).toBeVisible();
    await page.evaluate((kept) => {
      for (const [name, value] of Object.entries(kept)) localStorage.setItem(name, value);
    }, othersStorage);
    const strays = watchStrays(page, host);

    await test.step("the home page shows addresses with the path", async () => {
      await page.goto(`${host}/gw/`);
      await expect(page.getByRole("heading", { level: 1 })).toContainText("一个地址");
      await expect(page.getByText(`${host}/gw/v1`).first()).toBeVisible();
      await expect(page.locator("html")).not.toHaveClass(/dark/);
    });

    await test.step("a guarded screen leads to the sign-in, and from there back", async () => {
      await page.goto(`${host}/gw/log?model_name=gpt`);
      await expect(page).toHaveURL(`${host}/gw/login`);
      await signInByForm(page, rootAccount);
      await expect(page).toHaveURL(`${host}/gw/log?model_name=gpt`);
      const cookies = await page.context().cookies(`${host}/gw/`);
      const own = cookies.find(({ name }) => name.startsWith("__Secure-sid"));
      expect(own).toMatchObject({ name: "__Secure-sid-gw", path: "/gw", secure: true });
    });

    await test.step("a token is made, and its example works as it is copied", async () => {
      await page.getByRole("link", { name: "令牌", exact: true }).first().click();
      await expect(page).toHaveURL(new RegExp(`^${host}/gw/token`));
      await page.getByRole("button", { name: "添加令牌" }).first().click();
      const sheet = page.getByRole("dialog", { name: "添加令牌" });
      await sheet.getByLabel("名称", { exact: false }).first().fill("mine");
      await sheet.getByRole("button", { name: "创建", exact: true }).click();
      await page.getByRole("button", { name: "复制示例" }).click();
      const command = await page.evaluate(async () => await navigator.clipboard.readText());
      expect(command).toContain(`${host}/gw/v1/chat/completions`);
      const output = execFileSync("bash", ["-c", command.replace(/^curl/, "curl -sS")]);
      expect(JSON.parse(output.toString())).toMatchObject({ object: "chat.completion" });
    });

    await test.step("the log shows the call, also after a reload", async () => {
      await page.goto(`${host}/gw/log`);
      await expect(page.getByRole("row").filter({ hasText: model }).first()).toBeVisible();
      await page.reload();
      await expect(page.getByRole("row").filter({ hasText: model }).first()).toBeVisible();
    });

    await test.step("screens, old addresses, the palette and the playground stay below the path", async () => {
      for (const [from, to] of [
        ["/gw/channel/edit/1", /\/gw\/channel\?open=1/],
        ["/gw/apiDocument", /\/gw\/apiDocument$/],
        ["/gw/no/such/page", /\/gw\/no\/such\/page$/],
      ] as const) {
        await page.goto(host + from);
        await expect(page).toHaveURL(to);
        await expect(page.locator("h1").first()).toBeVisible();
      }
      await page.goto(`${host}/gw/playground`);
      await page.getByRole("textbox", { name: "提问内容" }).fill("hello");
      // It is sent once there is a model to send to.
      await expect(page.getByRole("button", { name: "发送" })).toBeEnabled();
      const answered = page.waitForResponse(`${host}/gw/pg/chat/completions`);
      await page.keyboard.press("Enter");
      expect((await answered).status()).toBe(200);
    });

    await test.step("who asks the gateway itself is led below the path", async () => {
      await page.goto(`${new URL(product.origin).origin}/login?next=1#x`);
      await expect(page).toHaveURL(/\/gw\/login\?next=1#x$/);
    });

    await test.step("nothing was asked of the other program, nor changed for it", async () => {
      expect(strays).toEqual([]);
      expect(faults).toEqual([]);
      await page.goto(`${host}/`);
      const kept = await page.evaluate(() => Object.fromEntries(Object.entries(localStorage)));
      expect(kept).toMatchObject(othersStorage);
      const own = Object.keys(kept).filter((name) => !(name in othersStorage));
      expect(own.filter((name) => !name.startsWith("/gw:"))).toEqual([]);
      const cookies = await page.context().cookies(host);
      const others = cookies.filter(({ path }) => path === "/");
      expect(others.map(({ value }) => value)).toEqual(["other", "other", "other"]);
    });
  } finally {
    await nginx.stop();
    other.close();
    await product.stop();
  }
});
