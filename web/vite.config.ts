import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `npm run dev` runs the server; the console calls it under its own address. */
const server = process.env["TOLLGATE_DEV_SERVER"] ?? "http://127.0.0.1:3000";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), tailwindcss()],
  build: {
    outDir: fileURLToPath(new URL("../dist/web", import.meta.url)),
    emptyOutDir: true,
    // Everything is same-origin, so nothing needs inlining, and the CSP allows no data: scripts.
    assetsInlineLimit: 0,
    // Which file loads which: e2e/budgets.spec.ts weighs them.
    manifest: true,
    chunkSizeWarningLimit: 1_000,
    target: "es2023",
  },
  server: {
    proxy: Object.fromEntries(["/api", "/v1", "/v1beta", "/pg"].map((path) => [path, server])),
  },
});
