/**
 * One browser context that journeys share one after another. Most of what a page costs is loading
 * what a browser keeps of an unchanged site: files, compiled code, a running renderer. User data
 * (cookies, storage, permissions, routes, open tabs) is removed before each journey.
 */

import type { Browser, BrowserContext, CDPSession, Page } from "@playwright/test";

/** Storage to clear before each journey: everything that scripts of a site can store. */
const storageTypes = "local_storage,indexeddb,cache_storage,service_workers";

/** The cookie and the local storage that make up a signed-in session in a browser. */
type Stored = {
  readonly cookies: Parameters<BrowserContext["addCookies"]>[0];
  readonly origins: readonly {
    readonly localStorage: readonly { readonly name: string; readonly value: string }[];
  }[];
};

type Kept = {
  readonly context: BrowserContext;
  /**
   * The options of the test for which the context was created, as text; a test with other options
   * needs another context.
   */
  readonly made: string;
  /**
   * A page of the site without a script. It stays open, so that the next page can use its renderer.
   */
  readonly parked: Page;
  readonly cdp: CDPSession;
};

export type ContextKeeper = {
  /**
   * Returns the context, emptied. The caller before must not use it any more.
   *
   * @param made options of the running test, as text; when they differ from the kept context's, a
   * new one is created
   */
  readonly take: (made: string, origin: string) => Promise<BrowserContext>;
  /** Signs all pages of the context in with this session, from now on. */
  readonly enter: (stored: Stored) => Promise<void>;
};

export function keepContext(browser: Browser): ContextKeeper {
  let kept: Kept | null = null;
  return {
    async take(made, origin) {
      if (kept?.made !== made) {
        await kept?.context.close();
        kept = await make(browser, made, origin);
      }
      await empty(kept, origin);
      return kept.context;
    },
    async enter({ cookies, origins }) {
      await kept?.context.addCookies(cookies);
      const entries = origins.flatMap(({ localStorage: some }) => some);
      await kept?.parked.evaluate((all) => {
        for (const { name, value } of all) localStorage.setItem(name, value);
      }, entries);
    },
  };
}

async function make(browser: Browser, made: string, origin: string): Promise<Kept> {
  // These options need not repeat those of the running test, because Playwright adds them itself.
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  const parked = await context.newPage();
  await parked.goto(`${origin}/api/status`);
  return { context, made, parked, cdp: await context.newCDPSession(parked) };
}

async function empty({ context, parked, cdp }: Kept, origin: string): Promise<void> {
  const others = context.pages().filter((page) => page !== parked);
  await Promise.all(others.map((page) => page.close()));
  await context.unrouteAll({ behavior: "ignoreErrors" });
  await context.clearCookies();
  await context.clearPermissions();
  await cdp.send("Storage.clearDataForOrigin", { origin, storageTypes });
}
