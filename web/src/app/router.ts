/** The address decides what is shown: routes made from `screens.ts`, and who may go where. */

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { readSession } from "#api/session.ts";
import { keepReturnAddress } from "#widgets/return-address.ts";
import { App } from "./App.tsx";
import { ErrorScreen } from "./ErrorScreen.tsx";
import { gated } from "./Gate.tsx";
import { NotFoundScreen } from "./NotFoundScreen.tsx";
import { ScreenSkeleton } from "./ScreenSkeleton.tsx";
import { type Screen, screens } from "./screens.ts";
import { parseSearch, showSearch } from "./search.ts";

const rootRoute = createRootRoute({ component: App, notFoundComponent: NotFoundScreen });

function routeOf(screen: Screen) {
  const { path, access, load } = screen;
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    beforeLoad({ location }) {
      if (access === "public" || readSession() !== null) return;
      keepReturnAddress(location.href, null);
      throw redirect({ to: "/login", replace: true });
    },
    component: lazyRouteComponent(async () => ({ default: gated(screen, await load()) })),
  });
}

export const router = createRouter({
  routeTree: rootRoute.addChildren(screens.map(routeOf)),
  parseSearch,
  stringifySearch: showSearch,
  trailingSlash: "never",
  defaultErrorComponent: ErrorScreen,
  defaultPendingComponent: ScreenSkeleton,
  // A screen whose code is at hand within that time is drawn without a skeleton before it.
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  defaultPreload: "intent",
  scrollRestoration: true,
});
