/**
 * `node scripts/versions.mjs <commit>` builds another commit, and lets nodes of it and of this tree
 * share a database under load, through the migration, in both orders (`server/test/cluster/versions.test.ts`).
 */

import { join } from "node:path";
import { root } from "./bun.mjs";
import { endLike, endWithNpm, runChild } from "./child.mjs";
import { commitOf, withCommit } from "./other-commit.mjs";

const [revision] = process.argv.slice(2);

endWithNpm();
if (revision === undefined) {
  process.stderr.write("Name the other commit: node scripts/versions.mjs <commit>\n");
  process.exit(2);
}
endLike(
  await withCommit(commitOf(revision), async (folder) => {
    process.env["TOLLGATE_OTHER_BUILD"] = join(folder, "dist/tollgate");
    return await runChild(
      process.execPath,
      ["scripts/test.mjs", "server/test/cluster/versions.test.ts", ...process.argv.slice(3)],
      { cwd: root, stdio: "inherit" },
    );
  }),
);
