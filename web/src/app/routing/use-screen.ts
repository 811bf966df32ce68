import { useRouterState } from "@tanstack/react-router";
import type { Screen } from "#app/screen.ts";
import { screens } from "#app/screens.ts";

/** Returns the current path, without a slash at its end. */
export function usePath(): string {
  const path = useRouterState({ select: (state) => state.location.pathname });
  return path.length > 1 ? path.replace(/\/$/, "") : path;
}

/** Returns the screen at the current address; undefined: there is no screen at that address. */
export function useScreen(): Screen | undefined {
  const path = usePath();
  return screens.find((screen) => screen.path === path);
}
