/** Masks a key, except for as much as people need to recognise it: `sk-ab12••••wxyz`. */
export function maskSecret(key: string): string {
  const [, start = "", plain = ""] = /^(sk-)?(.*)$/su.exec(key) ?? [];
  return plain.length < 12 ? `${start}••••` : `${start}${plain.slice(0, 4)}••••${plain.slice(-4)}`;
}
