/** Keeps the data folder, with database and secret key, from other users of the machine. */

import { statSync } from "node:fs";

/** Bits of a mode that let group and others in. */
const othersMask = 0o077;

/** From now on only this process's user can read the files that it creates. */
export function closeNewFiles(): void {
  process.umask(othersMask);
}

/**
 * A line for the operator if other users can enter the folder; null: they cannot. An existing
 * folder is left as it is, because it may be open to a group on purpose.
 */
export function openFolderWarning(dataDir: string): string | null {
  const mode = statSync(dataDir).mode & 0o777;
  if ((mode & othersMask) === 0) return null;
  return (
    `WARNING: other users of this machine can enter ${dataDir} (mode ${mode.toString(8)}), where ` +
    `the database and the secret key are. \`chmod -R go= ${dataDir}\` closes it.`
  );
}
