/** The shortest bytes that are freed. Shorter ones cost less than the call. */
const freedBytesMin = 1_024;

/**
 * Frees the whole memory that these bytes are a view of; nobody may read it afterwards. The garbage
 * collector would free it too, but in a process that relays many streams only after a hundred
 * megabytes of it have gathered.
 */
export function freeBytes(bytes: Uint8Array): void {
  if (bytes.length < freedBytesMin) return;
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
