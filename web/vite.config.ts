import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `npm run dev` runs the server; the console calls it under its own address. */
const server = process.env["TOLLGATE_DEV_SERVER"] ?? "http://127.0.0.1:3000";

/**
 * The packages that sign-in needs are one file, and those that the shell around every screen also
 * needs are another: large files compress better than a hundred small ones and need fewer requests.
 * e2e/budgets.spec.ts limits their sizes. Packages import nothing of ours, so no file waits in a
 * circle for another; everything else is split where it is imported on demand.
 */
const packages = [
  { name: "packages", from: ["main.tsx", "features/sign-in/LoginScreen.tsx"] },
  { name: "kit", from: ["app/shell/ConsoleShell.tsx"] },
] as const;

/**
 * These packages have an index that names far more than its importers use, so each of their modules
 * goes to the file where it is used.
 */
const barrels =
  /node_modules\/(lucide-react\/dist\/esm\/icons|@tanstack\/react-query\/build\/modern\/(use|suspense|mutationOptions|infinite))/;

type ImportsOf = (id: string) => readonly string[];

/** Module of a package → the file it belongs to. */
function placeModules(importsOf: ImportsOf): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const seen = new Set<string>();
  for (const { name, from } of packages) {
    const left = from.map((path) => fileURLToPath(new URL(`src/${path}`, import.meta.url)));
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      if (seen.has(id) || barrels.test(id)) continue;
      seen.add(id);
      if (id.includes("/node_modules/")) places.set(id, name);
      left.push(...importsOf(id));
    }
  }
  return places;
}

let places: ReadonlyMap<string, string> | undefined;

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), tailwindcss()],
  build: {
    outDir: fileURLToPath(new URL("../dist/web", import.meta.url)),
    emptyOutDir: true,
    // Everything is same-origin, so nothing needs inlining, and the CSP allows no data: scripts.
    assetsInlineLimit: 0,
    // Which file loads which; e2e/budgets.spec.ts reads it.
    manifest: true,
    chunkSizeWarningLimit: 1_000,
    target: "es2023",
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              debugName: "packages",
              name(id, modules) {
                places ??= placeModules((each) => modules.getModuleInfo(each)?.importedIds ?? []);
                return places.get(id) ?? null;
              },
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(["/api", "/v1", "/v1beta", "/pg"].map((path) => [path, server])),
  },
});
