import { useRouterState } from "@tanstack/react-router";
import { type Screen, screens } from "./screens.ts";

/** The screen at the present address; undefined: not found. */
export function useScreen(): Screen | undefined {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const plain = path.length > 1 ? path.replace(/\/$/, "") : path;
  return screens.find((screen) => screen.path === plain);
}
