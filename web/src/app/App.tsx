import { Outlet } from "@tanstack/react-router";
import { Shell } from "./Shell.tsx";

/** Around every screen. */
export function App() {
  return (
    <Shell>
      <Outlet />
    </Shell>
  );
}
