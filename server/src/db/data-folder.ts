/** Keeps the data folder, with database and secret key, from other users of the machine. */

import { statSync } from "node:fs";
import type { Dialect } from "./dialect.ts";

/** The bits of a file mode that give access to the group and to others. */
const othersMask = 0o077;

/** The bits of a file mode by which the group and others may write. */
const othersWriteMask = 0o022;

/** Makes all files that this process creates from now on readable for its own user only. */
export function closeNewFiles(): void {
  process.umask(othersMask);
}

/**
 * Returns a warning for the operator if other users can enter the folder, or with PostgreSQL, where
 * it holds no secret, change it; null: they cannot. The mode of an existing folder is not changed,
 * because it may be open to a group on purpose.
 */
export function openFolderWarning(dataDir: string, dialect: Dialect): string | null {
  const mode = statSync(dataDir).mode & 0o777;
  const shown = `${dataDir} (mode ${mode.toString(8)})`;
  const advice = `\`chmod -R go= ${dataDir}\` closes it.`;
  switch (dialect) {
    case "sqlite":
      if ((mode & othersMask) === 0) return null;
      return (
        `WARNING: other users of this machine can enter ${shown}, where the database and the ` +
        `secret key are. ${advice}`
      );
    case "postgres":
      if ((mode & othersWriteMask) === 0) return null;
      return `WARNING: other users of this machine can change the files in ${shown}. ${advice}`;
  }
}
