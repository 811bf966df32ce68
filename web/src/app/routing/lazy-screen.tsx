/**
 * A screen whose code is loaded when the screen is opened. The router's own lazy component reloads
 * the page when loading fails; while the server is down, that would lead to the browser's error
 * page.
 */

import { type ComponentType, type ReactNode, useEffect, useLayoutEffect, useState } from "react";
import { loadStatus, statusStore } from "#api/status.ts";
import { storageKey } from "#page/base-path.ts";
import { ScreenAway } from "./ScreenAway.tsx";

/** Milliseconds between attempts to load code that could not be loaded. */
const retryMs = 3_000;

/**
 * Key in session storage: when this module last reloaded the page because code could not be loaded.
 */
const reloadKey = storageKey("screen-reloaded-at");

/** Milliseconds after a reload by this module in which it does not reload the page again. */
const reloadAgainMs = 60_000;

/** Removes the home page's claim of index.html, before the browser paints the screen under it. */
function removeFirstClaim(): void {
  document.querySelector("#first-claim")?.remove();
}

type LazyScreen = (() => ReactNode) & {
  /** Loads the screen's code; the router awaits it before it opens the screen. Never rejects. */
  readonly preload: () => Promise<void>;
};

/**
 * Makes the component of a screen whose code is loaded when the screen is opened.
 * @param load loads the screen's component.
 * @param reload reloads the page; a test replaces it.
 */
export function lazyScreen(
  load: () => Promise<ComponentType>,
  reload: () => void = () => location.reload(),
): LazyScreen {
  let loaded: ComponentType | undefined;
  let loading: Promise<void> | undefined;
  let fault: unknown;
  const preload = async (): Promise<void> => {
    loading ??= load()
      .then(
        (component) => void (loaded = component),
        (error: unknown) => void (fault = error),
      )
      .finally(() => void (loading = undefined));
    await loading;
  };

  /**
   * Tries to load the screen once more. `away`: the server is down, or the page is about to reload.
   * `broken`: the server answers, but the code cannot be loaded.
   */
  async function tryAgain(): Promise<"loaded" | "away" | "broken"> {
    await preload();
    if (loaded !== undefined) return "loaded";
    await loadStatus();
    const state = statusStore.read();
    if (state.kind !== "ready" || state.error !== null) return "away";
    // The server answers, so either a new version has renamed the file, or the browser has cached
    // the failure. A reload of the page helps with both.
    const sinceMs = Date.now() - Number(sessionStorage.getItem(reloadKey));
    if (sinceMs < reloadAgainMs) return "broken";
    sessionStorage.setItem(reloadKey, String(Date.now()));
    reload();
    return "away";
  }

  function Lazy() {
    const [state, setState] = useState<"loaded" | "away" | "broken">("away");
    const Shown = loaded;
    useLayoutEffect(removeFirstClaim, []);
    useEffect(() => {
      if (Shown !== undefined) return undefined;
      let isGone = false;
      let isTrying = false;
      const look = async (): Promise<void> => {
        if (isTrying) return;
        isTrying = true;
        const tried = await tryAgain();
        isTrying = false;
        if (!isGone) setState(tried);
      };
      const lookNow = (): void => void look();
      const timer = setInterval(lookNow, retryMs);
      window.addEventListener("online", lookNow);
      lookNow();
      return () => {
        isGone = true;
        clearInterval(timer);
        window.removeEventListener("online", lookNow);
      };
    }, [Shown]);

    if (Shown !== undefined) return <Shown />;
    // The error screen catches this error and shows its details.
    if (state === "broken") throw fault;
    return <ScreenAway />;
  }
  return Object.assign(Lazy, { preload });
}
