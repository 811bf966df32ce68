import { Outlet } from "@tanstack/react-router";
import { Shell } from "./shell/Shell.tsx";

/** The root component of the console: everything that is around a screen. */
export function App() {
  return (
    <Shell>
      <Outlet />
    </Shell>
  );
}
