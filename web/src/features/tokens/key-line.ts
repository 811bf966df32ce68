/** Writes one line of the text that is copied for several tokens: a token's name, then its key. */
export function keyLine(name: string, key: string): string {
  return `${name}    ${key}`;
}
