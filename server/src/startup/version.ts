/** Which program this is. */

import packageJson from "#package.json" with { type: "json" };

/** Set by `scripts/build.mjs`. */
declare const BUILD_COMMIT: string | undefined;

export const { version } = packageJson;

/** The commit that the program was built from, with `+` if files were changed since; empty: unknown. */
export const commit = typeof BUILD_COMMIT === "string" ? BUILD_COMMIT : "";

/** The version with its commit, such as `0.1.0, 3d389937`. */
export const fullVersion = commit === "" ? version : `${version}, ${commit}`;
