/** Keeps the data folder, with database and secret key, from other users of the machine. */

import { statSync } from "node:fs";

/** The bits of a file mode that give access to the group and to others. */
const othersMask = 0o077;

/** Makes all files that this process creates from now on readable for its own user only. */
export function closeNewFiles(): void {
  process.umask(othersMask);
}

/**
 * Returns a warning for the operator if other users can enter the folder; null: they cannot. The
 * mode of an existing folder is not changed, because it may be open to a group on purpose.
 */
export function openFolderWarning(dataDir: string): string | null {
  const mode = statSync(dataDir).mode & 0o777;
  if ((mode & othersMask) === 0) return null;
  return (
    `WARNING: other users of this machine can enter ${dataDir} (mode ${mode.toString(8)}), where ` +
    `the database and the secret key are. \`chmod -R go= ${dataDir}\` closes it.`
  );
}
