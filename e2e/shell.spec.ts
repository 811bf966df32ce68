import { listScreens } from "./screens.ts";
import { signIn } from "./product.ts";
import {
  addUser,
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  signInByForm,
  type Site,
  test,
  watchFaults,
} from "./support.ts";

const expiredText = "未登录或登录已过期，请重新登录！";

test.describe("nobody is signed in", () => {
  test.use({ as: null });

  test("A-054–A-073 A-079: guarded screens lead to sign-in, and from there back", async ({
    page,
    site,
  }) => {
    const guarded = listScreens().filter(({ access }) => access !== "public");
    expect(guarded.length).toBeGreaterThan(0);
    await page.goto(guarded[0]?.path ?? "");
    for (const { path } of guarded) {
      await expect(page).toHaveURL(`${site.origin}/login`);
      // Navigates without reloading the page, because a reload for each address would take a while.
      await page.evaluate((address) => {
        history.pushState(null, "", address);
        dispatchEvent(new PopStateEvent("popstate"));
      }, path);
      await expect(page).toHaveURL(`${site.origin}/login`);
    }
    await page.goto("/log?model_name=gpt");
    await signInByForm(page, site.accounts.user);
    await expect(page).toHaveURL(`${site.origin}/log?model_name=gpt`);
  });

  test("A-041 A-042 A-078: home, sign-in and the page for unknown addresses are for everybody", async ({
    page,
  }) => {
    await page.goto("/");
    await expect(page.getByRole("heading", { level: 1 })).toContainText("一个地址");
    await page.goto("/no/such/page");
    await expect(page.getByText("/no/such/page", { exact: false })).toBeVisible();
    await expect(page).toHaveTitle("页面不存在 · Tollgate");
    await page.getByRole("link", { name: "首页" }).last().click();
    await expect(page).toHaveTitle("首页 · Tollgate");
  });

  test("A-090 A-091 A-093 to A-096 A-099 A-100: an expired session and an empty form are reported; sign in, call, sign out", async ({
    page,
    site,
  }) => {
    let sent = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/login") && request.method() === "POST") sent += 1;
    });
    await page.goto("/login?expired=true");
    await expect(page.getByRole("alert")).toContainText(expiredText);
    await page.locator("form button[type=submit]").click();
    await expect(page.getByText("请输入用户名和密码！").first()).toBeVisible();
    expect(sent).toBe(0);

    const password = page.locator("input[autocomplete=current-password]");
    await password.fill("secret");
    await page.getByRole("button", { name: "显示密码" }).click();
    await expect(password).toHaveAttribute("type", "text");
    await page.getByRole("button", { name: "隐藏密码" }).click();
    await expect(password).toHaveAttribute("type", "password");

    await signInByForm(page, { ...site.accounts.user, password: "wrong password" });
    await expect(page.getByRole("alert").filter({ hasText: "用户名或密码错误" })).toBeVisible();
    await expect(page.locator("input[autocomplete=username]")).toHaveValue("user1");

    const called = page.waitForRequest(
      (request) => request.headers()["new-api-user"] === String(site.api.user.user.id),
    );
    await signInByForm(page, site.accounts.user);
    await expect(page).toHaveURL(`${site.origin}/token`);
    await called;
    const stored = await page.evaluate(() => JSON.parse(localStorage.getItem("user") ?? "null"));
    expect(stored).toMatchObject({ username: "user1", role: 1 });

    const out = page.waitForRequest(/\/api\/user\/logout/);
    await page.getByRole("button", { name: "账户：user1" }).click();
    await page.getByRole("menuitem", { name: "退出登录" }).click();
    await out;
    await expect(page).toHaveURL(`${site.origin}/login`);
    expect(await page.evaluate(() => localStorage.getItem("user"))).toBeNull();
    await page.goto("/token");
    await expect(page).toHaveURL(`${site.origin}/login`);
  });

  test("A-326: a failure to read the status says how it failed @every", async ({ page }, {
    project,
  }) => {
    const english = project.name === "desktop-en-dark";
    await page.route("**/api/status", (route) => route.abort());
    await page.goto("/login");
    await expect(page.getByRole("alert")).toContainText(
      english ? "Unable to connect to server" : "无法连接到服务器",
    );
    await page.unroute("**/api/status");
    await page.route("**/api/status", (route) =>
      route.fulfill({ json: { success: false, message: "no" } }),
    );
    await page.reload();
    await expect(page.getByRole("alert")).toContainText(
      english ? "Failed to load status" : "加载状态失败",
    );
    await page.unroute("**/api/status");
    await page.getByRole("alert").getByRole("button").click();
    await expect(page.getByRole("alert")).toHaveCount(0);
  });
});

test.describe("a session that ends on the server", () => {
  test.use({ as: null });

  /** Makes a user whose session a test can end. */
  async function addGuest(site: Site, name: string) {
    const account = await addUser(site.api.root, `${name}${Date.now() % 1e5}`);
    const api = await signIn(site.origin, account);
    return { account, api, end: async () => await api.call("POST", "/api/user/logout", {}) };
  }

  test("A-424 A-425 A-426: leads to sign-in and from there back", async ({ enter, page, site }) => {
    const { account, api, end } = await addGuest(site, "leaver");
    await enter(api);
    await page.goto("/log?keyword=gpt");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await end();
    await page.reload();
    await expect(page).toHaveURL(`${site.origin}/login?expired=true`);
    await expect(page.getByRole("alert")).toContainText(expiredText);
    await signInByForm(page, account);
    await expect(page).toHaveURL(`${site.origin}/log?keyword=gpt`);
  });

  test("A-426: leads every tab to sign-in, and one sign-in leads every tab back", async ({
    enter,
    page,
    context,
    site,
  }) => {
    const { account, api, end } = await addGuest(site, "doubler");
    await enter(api);
    await page.goto("/log?keyword=gpt");
    const second = await context.newPage();
    await second.goto("/token?keyword=mine");
    await expect(second.getByRole("heading", { level: 1 })).toBeVisible();
    await end();
    await page.reload();
    for (const tab of [page, second]) {
      await expect(tab).toHaveURL(`${site.origin}/login?expired=true`);
    }
    await second.reload();
    await expect(second.getByRole("alert")).toContainText(expiredText);
    await signInByForm(page, account);
    await expect(page).toHaveURL(`${site.origin}/log?keyword=gpt`);
    await expect(second).toHaveURL(`${site.origin}/token?keyword=mine`);
  });

  test("loses nothing that was typed", async ({ enter, page, site }) => {
    const { account, api, end } = await addGuest(site, "drafter");
    await enter(api);
    await page.goto("/token?open=new");
    const name = page.getByRole("dialog").getByLabel(/^名称/);
    await name.fill("half a name");
    await end();
    await page.keyboard.press("Control+Enter");
    await expect(page).toHaveURL(`${site.origin}/login?expired=true`);
    await signInByForm(page, account);
    await expect(page).toHaveURL(`${site.origin}/token?open=new`);
    await expect(name).toHaveValue("half a name");
    await expect(page.getByText("已恢复登录前未保存的内容")).toBeVisible();
  });
});

test.describe("errors of calls, in the specification's words", () => {
  const texts: readonly [number, string][] = [
    [429, "错误：请求次数过多，请稍后再试！"],
    // Root, who opens the page here, is the administrator.
    [500, "服务器内部错误。原因见服务器日志，可按请求 ID 查找。"],
    [405, "本站仅用于演示，没有服务器"],
    [418, "错误：teapot"],
  ];

  test("A-427–A-431 A-433: by status, and when there is no answer", async ({ page }) => {
    for (const [status, text] of texts) {
      await page.unrouteAll();
      await page.route("**/api/log/**", (route) =>
        route.fulfill({ status, json: { success: false, message: "teapot" } }),
      );
      await page.goto("/log");
      await expect(page.getByText(text, { exact: true }).first()).toBeVisible();
    }
    await page.unrouteAll();
    await page.route("**/api/log/**", (route) => route.abort());
    await page.goto("/log");
    await expect(page.getByText("无法正常连接到服务器！").first()).toBeVisible();
  });

  test("A-429 A-431 A-434 @en: the same in English", async ({ page }) => {
    await page.route("**/api/log/**", (route) => route.fulfill({ status: 405, json: {} }));
    await page.goto("/log");
    await expect(page.getByText("this site is only a demo, no server").first()).toBeVisible();
    await page.unrouteAll();
    await page.route("**/api/log/**", (route) => route.abort());
    await page.goto("/log");
    await expect(page.getByText("Unable to connect to the server properly!").first()).toBeVisible();
  });

  test("A-449 @en: the server's Chinese messages are shown in English", async ({ page, site }) => {
    await page.goto("/login");
    await signInByForm(page, { ...site.accounts.user, password: "wrong password" });
    await expect(page.getByRole("alert")).toContainText("Wrong username or password");
  });
});

test.describe("without a connection", () => {
  test("a menu entry that is not loaded yet keeps the shell, says so, and comes by itself @every", async ({
    page,
  }, { project }) => {
    await page.goto("/setting");
    await page.waitForLoadState("networkidle");
    // Only the requests of this page fail, as if the server could not be reached.
    await page.route("**/*", (route) => route.abort("connectionrefused"));
    if (project.name === "phone") await page.locator("header button").first().click();
    const menu = page.getByRole("navigation").filter({ has: page.locator('a[href="/audit"]') });
    await menu.locator('a[href="/audit"]').click();
    const said = page.getByRole("alert").filter({ hasText: /无法加载此页面|could not be loaded/ });
    await expect(said).toBeVisible();
    await expect(page.locator("header").first()).toBeVisible();
    await page.unrouteAll();
    await expect(said).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/审计|Audit/);
  });
});

test("the top bar fits between phone and desktop, with every link and a long name @en", async ({
  page,
}) => {
  await page.route("**/api/status", async (route) => {
    const answer = await (await route.fetch()).json();
    const data = {
      ...answer.data,
      docs_link: "https://docs.example/",
      system_name: "A gateway of the whole company",
    };
    await route.fulfill({ json: { ...answer, data } });
  });
  await page.goto("/token");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  for (const width of [768, 800, 900, 1_024, 1_100]) {
    await page.setViewportSize({ width, height: 800 });
    await expectNoSidewaysScroll(page);
    const outside = await page
      .locator("header")
      .first()
      .evaluate((bar) => bar.scrollWidth > bar.clientWidth);
    expect([width, outside]).toEqual([width, false]);
  }
  await page.setViewportSize({ width: 800, height: 800 });
  await page.getByRole("button", { name: "Open menu" }).click();
  await expect(page.getByRole("dialog").locator('a[href="https://docs.example/"]')).toBeVisible();
});

/** Screens that have no entry, or none before root opens the resellers' programme. */
const elsewhere = ["/agent", "/conversation", "/start"];
test.describe("side menu", () => {
  for (const { as, paths } of [
    { as: "user", paths: [] },
    { as: "admin", paths: ["/apiDocument", "/channel", "/user"] },
  ] as const) {
    test.describe(as, () => {
      test.use({ as });

      test(`A-303 A-307 A-314: the entries of an ${as}`, async ({ page }) => {
        await page.goto("/log");
        const menu = page.getByRole("navigation", { name: "菜单" });
        await expect(menu.getByRole("link")).not.toHaveCount(0);
        const shown = await menu
          .getByRole("link")
          .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
        const mayOpen = listScreens()
          .filter(({ access, path }) => access === "user" && !elsewhere.includes(path))
          .map(({ path }) => path);
        expect(new Set(shown)).toEqual(new Set([...mayOpen, "/reference", ...paths]));
      });
    });
  }

  test.describe("a user", () => {
    test.use({ as: "user" });

    test("a screen for admins says so instead of opening", async ({ page, site }) => {
      await page.goto("/channel");
      await expect(page.getByText("此页面仅管理员可用。")).toBeVisible();
      await expect(page).toHaveURL(`${site.origin}/channel`);
    });
  });

  test("A-319: home has no menu, a screen has one; folded it stays folded", async ({ page }) => {
    await page.goto("/");
    await expect(page.getByRole("navigation", { name: "菜单" })).toHaveCount(0);
    await page.goto("/log");
    const menu = page.getByRole("navigation", { name: "菜单" });
    const entry = menu.getByText("使用日志", { exact: true });
    await expect(entry).toBeVisible();
    await page.getByRole("button", { name: "收起菜单" }).click();
    await page.reload();
    await expect(page.getByRole("button", { name: "展开菜单" })).toBeVisible();
    await expect(entry).toHaveCount(0);
  });

  test("A-320 @phone: a button opens it as a drawer, which closes after a choice", async ({
    page,
  }) => {
    await page.goto("/log");
    await expect(page.getByRole("navigation", { name: "菜单" })).toHaveCount(0);
    await page.getByRole("button", { name: "打开菜单" }).click();
    const drawer = page.getByRole("dialog", { name: "菜单" });
    await expect(drawer).toBeVisible();
    await expectAccessible(page);
    await drawer.getByRole("link").first().click();
    await expect(drawer).toHaveCount(0);
  });
});

test("A-297 A-298 A-299 A-382: a chosen theme and language stay", async ({ page }) => {
  const faults = watchFaults(page);
  await page.goto("/log");
  await page.getByRole("button", { name: "主题" }).click();
  await expect(page.getByRole("menuitem")).toHaveText(["浅色", "深色", "跟随系统"]);
  await page.getByRole("menuitem", { name: "深色" }).click();
  await expect(page.locator("html")).toHaveClass(/dark/);

  await page.getByRole("button", { name: "语言" }).click();
  await page.getByRole("menuitem", { name: "English" }).click();
  await expect(page.getByRole("button", { name: "Language" })).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem("i18nextLng"))).toBe("en");
  await expect(page.locator("html")).toHaveAttribute("lang", "en");

  await page.reload();
  // The dark theme is set before the application's code runs, so that a dark screen never flashes
  // white.
  await expect(page.locator("html")).toHaveClass(/dark/);
  await expect(page.getByRole("button", { name: "Language" })).toBeVisible();
  expect(faults).toEqual([]);
});

test("A-321 A-322 P-C1: the footer is the administrator's, in a frame that runs none of it", async ({
  page,
  site,
}) => {
  const html =
    '<b>备案号 42</b><script>parent.hit = 1</script><img src=x onerror="parent.hit = 1">';
  await site.api.root.call("PUT", "/api/option/", { key: "Footer", value: html });
  try {
    await page.goto("/log");
    await expect(page.frameLocator("iframe[title=页脚]").getByText("备案号 42")).toBeVisible();
    const frame = page.locator("iframe[title=页脚]");
    expect(await frame.getAttribute("sandbox")).not.toMatch(/allow-(same-origin|top)/);
    const inside = await frame.contentFrame().locator("body").innerHTML();
    expect(inside).not.toMatch(/<script|onerror/);
    expect(await page.evaluate(() => "hit" in globalThis)).toBe(false);
  } finally {
    await site.api.root.call("PUT", "/api/option/", { key: "Footer", value: "" });
  }
});

test("A-325 A-351 A-374–A-381: the browser keeps the fields of the status", async ({ page }) => {
  await page.goto("/log");
  const read = async () =>
    await page.evaluate(async () => {
      const status = (await (await fetch("/api/status")).json()).data;
      const names = [
        "chat_link",
        "chats",
        "default_collapse_sidebar",
        "enable_data_export",
        "enable_drawing",
        "enable_task",
        "footer_html",
      ];
      const asText = (value: unknown) =>
        typeof value === "string" ? value : JSON.stringify(value);
      return {
        kept: names.map((name) => localStorage.getItem(name)),
        wanted: names.map((name) => asText(status[name])),
        systemName: JSON.parse(localStorage.getItem("status") ?? "{}").system_name,
      };
    });
  await expect.poll(async () => (await read()).systemName).toBe("Tollgate");
  const { kept, wanted } = await read();
  expect(kept).toEqual(wanted);
});
