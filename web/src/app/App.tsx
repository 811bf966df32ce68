import { Outlet } from "@tanstack/react-router";
import { Shell } from "./shell/Shell.tsx";

/** The component around every screen. */
export function App() {
  return (
    <Shell>
      <Outlet />
    </Shell>
  );
}
