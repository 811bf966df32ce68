/**
 * A screen whose code is loaded when it is opened. The router's own lazy component reloads the page
 * when that fails. Without a server, that would lead to the browser's error page.
 */

import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { loadStatus, statusStore } from "#api/status.ts";
import { ScreenAway } from "./ScreenAway.tsx";

/** How often failed code is requested again, in milliseconds. */
const retryMs = 3_000;

/** Key in session storage: when the page was last reloaded because code could not be loaded. */
const reloadKey = "screen-reloaded-at";

/** A page that was reloaded less than this ago is not reloaded again. */
const reloadAgainMs = 60_000;

type LazyScreen = (() => ReactNode) & {
  /** Awaited by the router before it opens the screen. Never rejects. */
  readonly preload: () => Promise<void>;
};

/** @param reload reloads the page. */
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

  /** Whether the screen has loaded, or will not. */
  async function tryAgain(): Promise<"loaded" | "away" | "broken"> {
    await preload();
    if (loaded !== undefined) return "loaded";
    await loadStatus();
    const state = statusStore.read();
    if (state.kind !== "ready" || state.error !== null) return "away";
    // The server answers, so either a new version has renamed the code, or the browser remembers
    // the failure.
    const sinceMs = Date.now() - Number(sessionStorage.getItem(reloadKey));
    if (sinceMs < reloadAgainMs) return "broken";
    sessionStorage.setItem(reloadKey, String(Date.now()));
    reload();
    return "away";
  }

  function Lazy() {
    const [state, setState] = useState<"loaded" | "away" | "broken">("away");
    const Shown = loaded;
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
    // The error screen shows the details.
    if (state === "broken") throw fault;
    return <ScreenAway />;
  }
  return Object.assign(Lazy, { preload });
}
