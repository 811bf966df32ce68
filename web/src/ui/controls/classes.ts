/**
 * Joins class names; what is false or absent is left out. Nothing is merged: a part chooses between
 * variants, so two classes never fight for the same property.
 */
export function classes(...names: readonly (string | false | null | undefined)[]): string {
  let joined = "";
  for (const name of names) {
    if (name === false || name === null || name === undefined || name === "") continue;
    joined = joined === "" ? name : `${joined} ${name}`;
  }
  return joined;
}
