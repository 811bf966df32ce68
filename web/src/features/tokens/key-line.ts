/** A line of the copied text for many tokens: the name, then the key. */
export function keyLine(name: string, key: string): string {
  return `${name}    ${key}`;
}
