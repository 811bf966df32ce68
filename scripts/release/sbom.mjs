/** Writes what the executable is made of, as a CycloneDX document. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "#scripts/bun.mjs";
import { lockedPackages } from "./targets.mjs";

/** Workspaces whose dependencies are in the executable. */
const shipped = ["contract", "demo", "server", "web"];

/** Packages of which only data is in it. */
const dataOnly = ["@pydantic/genai-prices"];

/** @typedef {{ version: string, integrity?: string, license?: string, link?: boolean, resolved?: string, dependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} Locked */

/**
 * Finds a package as Node does: in the folder of who needs it, then further out.
 *
 * @param {Record<string, Locked>} all
 * @param {string} from path of the package that needs it
 * @param {string} name
 */
function resolve(all, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const path = at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (all[path] !== undefined) return path;
    if (at === "") return undefined;
    if (!at.includes("/node_modules/")) at = "";
  }
}

/** Returns the paths of all packages in the executable, sorted. */
export function shippedPackages() {
  const all = /** @type {Record<string, Locked>} */ (lockedPackages());
  /** @type {Set<string>} */
  const found = new Set();
  const open = shipped.slice();
  for (const name of dataOnly) open.push(`node_modules/${name}`);
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    const own = all[from];
    if (own === undefined || found.has(from)) continue;
    if (!shipped.includes(from)) found.add(from);
    const needed = { ...own.dependencies, ...own.optionalDependencies };
    for (const name of Object.keys(needed)) {
      const path = resolve(all, from, name);
      if (path === undefined) continue;
      const linked = all[path];
      open.push(linked?.link === true && linked.resolved !== undefined ? linked.resolved : path);
    }
  }
  return [...found].toSorted();
}

/**
 * Makes the document of a release.
 *
 * @param {{ version: string, commit: string, builtAt: string, bun: string }} release `builtAt`: when the
 * commit was made, so that the same commit has the same document.
 */
export function makeSbom({ version, commit, builtAt, bun }) {
  const all = /** @type {Record<string, Locked>} */ (lockedPackages());
  const components = shippedPackages().map((path) => {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const { version: own = "", integrity, license } = all[path] ?? {};
    return {
      type: "library",
      "bom-ref": `${name}@${own}`,
      name,
      version: own,
      purl: `pkg:npm/${name.replace("@", "%40")}@${own}`,
      ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
      ...(integrity === undefined ? {} : { hashes: [hashOf(integrity)] }),
    };
  });
  const unique = new Map(components.map((component) => [component["bom-ref"], component]));
  const runtime = {
    type: "platform",
    "bom-ref": `bun@${bun}`,
    name: "bun",
    version: bun,
    purl: `pkg:npm/bun@${bun}`,
    licenses: [{ expression: "MIT" }],
  };
  const text = JSON.stringify([version, commit, [...unique.keys()]]);
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(text)}`,
    version: 1,
    metadata: {
      timestamp: builtAt,
      component: {
        type: "application",
        "bom-ref": "tollgate",
        name: "tollgate",
        version,
        licenses: [{ expression: "Apache-2.0" }],
        properties: [{ name: "tollgate:commit", value: commit }],
      },
    },
    components: [runtime, ...unique.values()],
    dependencies: [{ ref: "tollgate", dependsOn: [runtime["bom-ref"], ...unique.keys()] }],
  };
}

/** @param {string} integrity as in the lock file */
function hashOf(integrity) {
  const [kind = "", hash = ""] = integrity.split("-");
  const alg = kind.replace("sha", "SHA-");
  return { alg, content: Buffer.from(hash, "base64").toString("hex") };
}

/** @param {string} text */
function uuidOf(text) {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-");
}

/** Reads the version of the program. */
export function programVersion() {
  return String(JSON.parse(readFileSync(join(root, "server/package.json"), "utf8")).version);
}
