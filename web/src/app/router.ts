/** The router: its routes, made from `screens.ts`, and the check who may open which. */

import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { readExpiredUserId, readSession } from "#api/session.ts";
import { below } from "#page/base-path.ts";
import { keepReturnAddress } from "#widgets/sign-in/return-address.ts";
import { App } from "./App.tsx";
import { ErrorScreen } from "./routing/ErrorScreen.tsx";
import { gated } from "./routing/Gate.tsx";
import { lazyScreen } from "./routing/lazy-screen.tsx";
import { type Redirect, redirects } from "./routing/redirects.ts";
import { ScreenSkeleton } from "./routing/ScreenSkeleton.tsx";
import type { Screen } from "./screen.ts";
import { screens } from "./screens.ts";
import { parseSearch, showSearch } from "./routing/search.ts";

const rootRoute = createRootRoute({
  component: App,
  notFoundComponent: lazyScreen(
    async () => (await import("./routing/NotFoundScreen.tsx")).NotFoundScreen,
  ),
});

function routeOf(screen: Screen) {
  const { path, access, load } = screen;
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    beforeLoad({ location }) {
      if (access !== "public") askWho(location.href);
    },
    component: lazyScreen(async () => gated(screen, await load())),
  });
}

/**
 * Makes the route of a redirect. It requires a sign-in, because all redirects lead to screens that
 * do.
 */
function redirectOf({ path, to }: Redirect) {
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    beforeLoad({ location, params }) {
      askWho(location.href);
      // The router would derive the type of `params` from a literal path; here the path is any
      // string.
      const { id = "" }: { id?: string } = params;
      throw redirect({ href: below(to(id)), replace: true });
    },
  });
}

/**
 * Redirects a visitor who is not signed in to the sign-in screen, which opens `address` afterwards.
 * If the visitor's session has expired, the sign-in screen says so, and `address` is kept for that
 * user alone: the page may have been reloaded before `followSession` could lead there.
 */
function askWho(address: string): void {
  if (readSession() !== null) return;
  const expiredUserId = readExpiredUserId();
  keepReturnAddress(address, expiredUserId);
  const search = expiredUserId === null ? {} : { expired: "true" };
  throw redirect({ to: "/login", search, replace: true });
}

export const router = createRouter({
  routeTree: rootRoute.addChildren([...screens.map(routeOf), ...redirects.map(redirectOf)]),
  parseSearch,
  stringifySearch: showSearch,
  basepath: below("/"),
  trailingSlash: "never",
  defaultErrorComponent: ErrorScreen,
  defaultPendingComponent: ScreenSkeleton,
  // Milliseconds: a screen whose code arrives within this time is drawn without a skeleton before
  // it.
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  defaultPreload: "intent",
  scrollRestoration: true,
});
