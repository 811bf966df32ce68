/** Finds out whether passwords and session cookies could be read on their way to the server. */

export type SignInFault =
  | "none"
  /** The page came over plain HTTP from another machine, so nothing encrypts what is sent. */
  | "plain-http"
  /**
   * The page came over HTTPS through a proxy that the server does not trust, so the server cannot
   * set secure cookies.
   */
  | "unknown-proxy";

const loopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Finds out what makes a sign-in unsafe, if anything does.
 * @param secureCookies whether the server sets secure cookies in this browser.
 */
export function signInFault(
  { protocol, hostname }: Pick<Location, "hostname" | "protocol">,
  secureCookies: boolean,
): SignInFault {
  if (protocol === "http:") return loopback.test(hostname) ? "none" : "plain-http";
  return secureCookies ? "none" : "unknown-proxy";
}
