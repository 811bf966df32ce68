import { crc32 } from "node:zlib";

/** Makes one frame of Amazon's event streams, as their servers send it. */
export function amazonFrame(
  headers: Readonly<Record<string, string>>,
  payload: string,
): Uint8Array {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Buffer.byteLength(value));
      const named = Buffer.concat([Buffer.from([name.length]), Buffer.from(name)]);
      return Buffer.concat([named, Buffer.from([7]), length, Buffer.from(value)]);
    }),
  );
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(head.length + body.length + 16, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const frame = Buffer.concat([prelude, head, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(frame));
  return Buffer.concat([frame, checksum]);
}
