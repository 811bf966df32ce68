/**
 * The gallery shows every part of the UI kit in every state: to look at, for screenshots, and for
 * the accessibility tests. It exists only in the development server.
 * `?part=buttons&theme=dark&lang=en` shows one part.
 */

import { createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import "#ui/tailwind.css";
import { setLanguage } from "#i18n/t.ts";
import { KitRoot } from "#ui/overlays/KitRoot.tsx";
import { Gallery } from "./Gallery.tsx";
import { readChoice } from "./choice.ts";

const { theme, language } = readChoice();
document.documentElement.classList.toggle("dark", theme === "dark");
await setLanguage(language);

const router = createRouter({
  routeTree: createRootRoute({
    component: () => (
      <KitRoot>
        <Gallery />
      </KitRoot>
    ),
  }),
});

const place = document.querySelector("#root");
if (place === null) throw new Error("gallery.html has no #root");
createRoot(place).render(<RouterProvider router={router} />);
