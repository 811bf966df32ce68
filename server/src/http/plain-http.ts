/** Warns the operator when passwords, session cookies and API keys travel over plain HTTP. */

import type { Logger } from "#base/logger.ts";

/** The end of each warning: how operators can encrypt sign-in. */
const remedy =
  "Put a TLS proxy in front that sends X-Forwarded-Proto, and name its address in TOLLGATE_TRUSTED_PROXIES.";

/**
 * Returns the warning to print when the server starts; null: sign-in is encrypted, or only this
 * machine can reach it.
 *
 * @param serverAddress the public address that the root user has set; empty: none.
 */
export function plainHttpWarning(
  config: {
    readonly hostIsLoopback: boolean;
    /** Whether the operator allows cookies over plain HTTP. */
    readonly plainHttp: boolean;
    readonly trustedProxies: readonly string[];
  },
  serverAddress: string,
): string | null {
  if (!config.plainHttp) {
    if (config.hostIsLoopback || config.trustedProxies.length > 0) return null;
    return `WARNING: others reach this gateway without TLS: API keys and answers can be read on the way, and browsers cannot sign in. ${remedy}`;
  }
  const whole = `WARNING: sign-in runs over plain HTTP: passwords and sessions can be read on the way. ${remedy}`;
  if (!config.hostIsLoopback) return whole;
  const address = URL.parse(serverAddress);
  if (address === null || isLoopbackName(address.hostname)) return null;
  // From here on the server listens on loopback but has a public address, so there is a proxy in
  // front of it.
  if (address.protocol === "http:") return whole;
  if (config.trustedProxies.length > 0) return null;
  return `WARNING: ServerAddress is ${address.origin}, but no proxy is trusted, so sign-in cookies are not marked Secure. ${remedy}`;
}

function isLoopbackName(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/**
 * Logs a warning for the first request that came through a TLS proxy that is not trusted; nothing
 * for later ones.
 */
export function tellOfUnknownProxy(log: Logger): (address: string) => void {
  let told = false;
  return (address) => {
    if (told) return;
    told = true;
    log.warn(
      { proxy: address },
      "a request came through a TLS proxy that TOLLGATE_TRUSTED_PROXIES does not name, so its " +
        "X-Forwarded-For and X-Forwarded-Proto are ignored",
    );
  };
}
