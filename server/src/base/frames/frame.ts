/** A stream of an upstream, cut into frames: the common form of all framings. */

/** One event of a stream. */
export type Frame = {
  /** The name of the event; `message` if the framing names none. */
  readonly event: string;
  readonly data: string;
};

/**
 * The longest frame kept in memory, in bytes. A frame that repeats a whole answer or carries an
 * image has megabytes; a larger one comes from a broken or hostile upstream.
 */
export const frameBytesMax = 32 * 1024 * 1024;

/** The stream cannot be parsed, so the attempt that it belongs to has failed. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

export type FrameReader = {
  /**
   * Adds a chunk, and returns the frames that are complete with it.
   *
   * @throws FrameError when a frame is larger than the limit or not valid.
   */
  push(chunk: Uint8Array): Frame[];
  /**
   * Returns the last frame, if the stream ended without a mark after it.
   *
   * @throws FrameError as `push`.
   */
  end(): Frame[];
  /** How many bytes are kept of a frame that is not complete. */
  unfinishedBytes(): number;
};

/** Keeps the bytes of chunks until they are taken, without copying them again for each chunk. */
type ByteQueue = {
  /** The number of bytes that are kept. */
  size(): number;
  /** Copies the chunk, because its owner uses its memory again. */
  add(chunk: Uint8Array): void;
  /** Returns the first bytes and leaves them in the queue. */
  peek(count: number): Uint8Array;
  /** Returns the first bytes and drops them. */
  take(count: number): Uint8Array;
};

export function openByteQueue(): ByteQueue {
  let parts: Uint8Array[] = [];
  let size = 0;
  const joined = (): Uint8Array => {
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) return only;
    const all = Buffer.concat(parts);
    parts = [all];
    return all;
  };
  return {
    size: () => size,
    add(chunk) {
      if (chunk.length === 0) return;
      // Not by `slice`, which copies nothing of the buffers of Node.
      parts.push(new Uint8Array(chunk));
      size += chunk.length;
    },
    peek: (count) => joined().subarray(0, count),
    take(count) {
      const all = joined();
      size = all.length - count;
      parts = size === 0 ? [] : [all.subarray(count)];
      return all.subarray(0, count);
    },
  };
}
