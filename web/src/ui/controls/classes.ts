/**
 * Joins class names and leaves out false ones. Unlike other such functions it resolves no
 * conflicts: components choose between variants, so that no two classes set the same property.
 */
export function classes(...names: readonly (string | false | null | undefined)[]): string {
  let joined = "";
  for (const name of names) {
    if (name === false || name === null || name === undefined || name === "") continue;
    joined = joined === "" ? name : `${joined} ${name}`;
  }
  return joined;
}
