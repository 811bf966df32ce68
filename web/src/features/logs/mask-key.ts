/** Masks a key, except for as much as people need to recognise it: `sk-ab12••••wxyz`. */
export function maskKey(key: string): string {
  const plain = key.replace(/^sk-/, "");
  return plain.length < 12 ? "sk-••••" : `sk-${plain.slice(0, 4)}••••${plain.slice(-4)}`;
}
