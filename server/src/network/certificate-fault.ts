/** Why the certificate of a server was not accepted, by the code of the error. */

export type CertificateFault =
  /** It has expired, or is not valid yet. */
  | "certificate-expired"
  /** It is wrong in another way. */
  | "certificate-invalid"
  /** It is for other names than the one that was asked for. */
  | "certificate-name"
  /** Nobody who is trusted issued it. */
  | "certificate-untrusted";

/** OpenSSL's names of the faults, and those of Node.js (read 2026-11-23). */
const faults: Readonly<Record<string, CertificateFault>> = {
  CERT_HAS_EXPIRED: "certificate-expired",
  CERT_NOT_YET_VALID: "certificate-expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate-name",
  HOSTNAME_MISMATCH: "certificate-name",
  CERT_SIGNATURE_FAILURE: "certificate-untrusted",
  CERT_UNTRUSTED: "certificate-untrusted",
  DEPTH_ZERO_SELF_SIGNED_CERT: "certificate-untrusted",
  SELF_SIGNED_CERT_IN_CHAIN: "certificate-untrusted",
  UNABLE_TO_GET_ISSUER_CERT: "certificate-untrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "certificate-untrusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate-untrusted",
};

export function certificateFault(code: string): CertificateFault {
  return (Object.hasOwn(faults, code) ? faults[code] : undefined) ?? "certificate-invalid";
}
