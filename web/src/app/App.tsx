import { Outlet } from "@tanstack/react-router";
import { Shell } from "./shell/Shell.tsx";

/** Around every screen. */
export function App() {
  return (
    <Shell>
      <Outlet />
    </Shell>
  );
}
