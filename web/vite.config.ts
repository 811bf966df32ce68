/** How the console is built and served while it is written. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, minifySync, type Plugin, type Rolldown } from "vite";
import { openPlaces } from "./chunks.ts";
import en from "./src/i18n/en/home.json" with { type: "json" };
import zh from "./src/i18n/zh/home.json" with { type: "json" };
import { buttonLook } from "./src/ui/controls/button-look.ts";

/**
 * The address of the server during `npm run dev`. The development server forwards the console's
 * calls to it, so that they stay on one origin.
 */
const server = process.env["TOLLGATE_DEV_SERVER"] ?? "http://127.0.0.1:3000";

let placeOf: ReturnType<typeof openPlaces> | undefined;

/**
 * Writes before-paint.js into index.html, and into its tag the names of files that it preloads: the
 * texts of both languages, and for a signed-in user the console's code and the English of the
 * server's messages.
 */
const writeBeforePaint: Plugin = {
  name: "write-before-paint",
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle, path }) {
      // The gallery is a page of its own, without the console's code.
      if (path === "/gallery.html") return html;
      const { code } = minifySync("before-paint.js", readFileSync(beforePaint, "utf8"), {
        module: false,
      });
      const written = html.replace(
        '<script id="before-paint"></script>',
        () => `<script${attributesOf(filesToPreload(bundle))}>${code.trim()}</script>`,
      );
      if (written === html) throw new Error("index.html has no place for before-paint.js");
      return written;
    },
  },
};

const beforePaint = new URL("before-paint.js", import.meta.url);

/** Returns the paths of built files by the names under which before-paint.js looks for them. */
function filesToPreload(bundle: Rolldown.OutputBundle | undefined): Record<string, string> {
  if (bundle === undefined) return {}; // The development server has no files yet.
  const chunks = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? [file] : []));
  const paths = (isWanted: (name: string, source: string) => boolean) =>
    chunks
      .filter(({ name, facadeModuleId }) => isWanted(name, facadeModuleId ?? ""))
      .map(({ fileName }) => `/${fileName}`)
      .join(" ");
  return {
    chinese: paths((_, source) => source.endsWith("/zh.ts")),
    english: paths((_, source) => source.endsWith("/en.ts")),
    messages: paths((_, source) => source.endsWith("/server-messages.en.json")),
    // The texts of the shell are preloaded in both languages: half a kilobyte each.
    console: paths(
      (name, source) => ["console", "lists"].includes(name) || source.endsWith("/shell.json"),
    ),
  };
}

function attributesOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([key, value]) => ` data-${key}="${value}"`)
    .join("");
}

/**
 * Fills in the claim in index.html: its texts in both languages, and the looks of its buttons. The
 * texts are those of the home page, so that React draws the same in its place.
 */
const fillInClaim: Plugin = {
  name: "fill-in-claim",
  transformIndexHtml: {
    order: "pre",
    handler: (html) =>
      html
        .replaceAll(/\{home\.(claim|intro|signIn|console|pricing)\}/g, (_, key: ClaimKey) =>
          [`<span lang="zh">${zh[key]}</span>`, `<span lang="en">${en[key]}</span>`].join(""),
        )
        .replaceAll(/\{(primary|default)\}/g, (_, variant: "primary" | "default") =>
          buttonLook(variant, "md", false),
        ),
  },
};

type ClaimKey = "claim" | "intro" | "signIn" | "console" | "pricing";

/**
 * Removes from Zod's schemas the methods that describe a schema as JSON Schema: nothing in the
 * console calls them, and every page would load them before the sign-in screen.
 */
const leaveOutJsonSchema: Plugin = {
  name: "leave-out-json-schema",
  apply: "build",
  transform: {
    filter: { id: /zod\/v4\/classic\/schemas\.js$/ },
    handler: (code) =>
      code
        .replaceAll(/^\s*inst\._zod\.processJSONSchema = .*;$/gm, "")
        .replaceAll(/createStandardJSONSchemaMethod\(this, "\w+"\)/g, "undefined")
        .replace("return createToJSONSchemaMethod(this, {})(params);", "return undefined;"),
  },
};

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), tailwindcss(), writeBeforePaint, fillInClaim, leaveOutJsonSchema],
  build: {
    outDir: fileURLToPath(new URL("../dist/web", import.meta.url)),
    emptyOutDir: true,
    // Turns off inlining of assets as data: URLs: all files come from the same origin, and the CSP
    // forbids data: scripts.
    assetsInlineLimit: 0,
    // The manifest says which file loads which; e2e/budgets.spec.ts sums their sizes.
    manifest: true,
    modulePreload: { polyfill: false },
    // The sizes that matter are those of first visits, which e2e/budgets.spec.ts bounds.
    chunkSizeWarningLimit: 4_000,
    target: "es2023",
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              debugName: "layers",
              name(id, modules) {
                placeOf ??= openPlaces((each) => modules.getModuleInfo(each));
                return placeOf(id);
              },
            },
          ],
        },
      },
    },
  },
  experimental: {
    // Scripts and style sheets name other files by where they are themselves, because the console
    // may be below any path of a host. The server moves the addresses in pages.
    renderBuiltUrl: (_, { hostType }) => (hostType === "html" ? undefined : { relative: true }),
  },
  server: {
    proxy: Object.fromEntries(["/api", "/v1", "/v1beta", "/pg"].map((path) => [path, server])),
  },
});
