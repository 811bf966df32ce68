/**
 * Renders a part of the console as the app does: inside a router, at an address, and inside the UI
 * kit's root.
 */

import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, cleanup, render } from "./dom.ts";
import type { ReactNode } from "react";
import { parseSearch, showSearch } from "#app/routing/search.ts";
import { type Language, setLanguage } from "#i18n/t.ts";
import { KitRoot } from "#ui/overlays/KitRoot.tsx";

type Rendered = ReturnType<typeof render> & {
  /** Returns the current path and query, as the address bar would show them. */
  readonly address: () => string;
  readonly back: () => Promise<void>;
  readonly goTo: (address: string) => Promise<void>;
};

/**
 * Renders a part at the address `at`, a path with its query; the part stays at every address.
 * Removes what was rendered before.
 */
export async function renderAt(
  at: string,
  part: () => ReactNode,
  options: { readonly language?: Language } = {},
): Promise<Rendered> {
  cleanup();
  if (options.language !== undefined) await setLanguage(options.language);
  const history = createMemoryHistory({ initialEntries: [at] });
  const rootRoute = createRootRoute();
  const anyRoute = createRoute({ getParentRoute: () => rootRoute, path: "$", component: part });
  const router = createRouter({
    routeTree: rootRoute.addChildren([anyRoute]),
    history,
    parseSearch,
    stringifySearch: showSearch,
  });
  await router.load();
  const rendered = render(
    <KitRoot>
      <RouterProvider router={router} />
    </KitRoot>,
  );
  // Rendered inside `act`, because the router draws in a React transition.
  await act(async () => {
    await router.load();
  });
  return {
    ...rendered,
    address: () => history.location.href,
    back: () => act(async () => history.back()),
    goTo: (address) => act(async () => history.push(address)),
  };
}
