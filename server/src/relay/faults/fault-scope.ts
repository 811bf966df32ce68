/** Says what a fault is of: a channel as a whole, one of its models, or one of its keys. */

/** `key-revoked`: the key is refused as such, so that it need not fail again to be known. */
export type FaultScope = "channel" | "key" | "key-revoked" | "model";

/** What an upstream answers because of the key that was used. */
const ofKeys: ReadonlySet<string> = new Set(["http-402", "http-403", "http-429"]);

/** The beginnings of the codes of faults that no model or key has to do with. */
const ofChannels = [
  "address-",
  "certificate-",
  "connection-",
  "proxy-",
  "timeout-connect",
  "timeout-proxy",
  "timeout-tls",
  "tls-",
];

/** @param code the code of an `AttemptFault` that counts against its channel. */
export function scopeOf(code: string): FaultScope {
  if (code === "http-401") return "key-revoked";
  if (ofKeys.has(code)) return "key";
  return ofChannels.some((start) => code.startsWith(start)) ? "channel" : "model";
}
