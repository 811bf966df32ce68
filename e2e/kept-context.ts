/**
 * One browser context that journeys share one after another: what a browser keeps of an unchanged
 * site (files, compiled code, a running renderer) is most of the cost of a page. User data
 * (cookies, storage, permissions, routes, open tabs) is removed before each journey.
 */

import type { Browser, BrowserContext, CDPSession, Page } from "@playwright/test";

/** Deletes what scripts of a site have stored. */
const storageTypes = "local_storage,indexeddb,cache_storage,service_workers";

/** A session's cookie and storage in a browser. */
type Stored = {
  readonly cookies: Parameters<BrowserContext["addCookies"]>[0];
  readonly origins: readonly {
    readonly localStorage: readonly { readonly name: string; readonly value: string }[];
  }[];
};

type Kept = {
  readonly context: BrowserContext;
  /** The options with which the context was created, as text. */
  readonly made: string;
  /** A page of the site without a script: the next page uses its renderer. */
  readonly parked: Page;
  readonly cdp: CDPSession;
};

export type ContextKeeper = {
  /**
   * An empty context; the previous one is not used any more.
   *
   * @param made options of the running test, as text; other options make another context
   */
  readonly take: (made: string, origin: string) => Promise<BrowserContext>;
  /** From now on the context's pages belong to this session. */
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
  // Other options are those of the running test.
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
