import { maskSecret } from "./mask-secret.ts";

/** Masks an API key that was typed with or without `sk-`. */
export function maskKey(key: string): string {
  return maskSecret(`sk-${key.replace(/^sk-/, "")}`);
}
