/** Gathers the texts of one call while it runs. Nothing of this runs while texts are off. */

/**
 * The largest number of bytes that are gathered of one answer. Of a stream that is about 64 KiB of
 * text, because each event adds some hundred bytes of syntax.
 */
const answerBytesMax = 8 * 1024 * 1024;

/** A longer request is stored without its body. */
const requestBytesMax = 16 * 1024 * 1024;

/** The largest number of bytes that all running and waiting texts have together. */
export const heldBytesMax = 64 * 1024 * 1024;

const roomMin = 2_048;

/** What the relay says of a call when it has ended. */
type CallEnd = {
  readonly requestId: string;
  readonly userId: number;
  readonly formatId: string;
  readonly isStream: boolean;
  /** The body of the request; empty: it could not be kept. */
  readonly request: Uint8Array;
};

/** The texts of a running call. */
export type OpenTranscript = {
  /** Adds bytes that were sent to the client; they are copied. */
  add(bytes: Uint8Array | string): void;
  /** Passes the texts on to be stored. Returns at once. */
  end(call: CallEnd): void;
};

/** Bytes of texts that are in memory, of all calls together. */
export type HeldBytes = { count: number };

export type Gathered = CallEnd & { readonly answer: Uint8Array; readonly bytes: number };

/**
 * @param held counts the bytes of this call, too.
 * @param onEnd gets the texts; null: they were too much to keep.
 */
export function openTranscript(
  held: HeldBytes,
  onEnd: (gathered: Gathered | null) => void,
): OpenTranscript {
  let room = new Uint8Array(0);
  let length = 0;
  let isDropped = false;

  function drop(): void {
    held.count -= room.length;
    room = new Uint8Array(0);
    length = 0;
    isDropped = true;
  }

  function add(given: Uint8Array | string): void {
    if (isDropped || length === answerBytesMax) return;
    const bytes = typeof given === "string" ? Buffer.from(given) : given;
    const end = Math.min(length + bytes.length, answerBytesMax);
    if (end > room.length) {
      const size = Math.max(roomMin, Math.min(2 * end, answerBytesMax));
      if (held.count + size - room.length > heldBytesMax) {
        drop();
        return;
      }
      held.count += size - room.length;
      const bigger = new Uint8Array(size);
      bigger.set(room.subarray(0, length));
      room = bigger;
    }
    room.set(bytes.subarray(0, end - length), length);
    length = end;
  }

  return {
    add,
    end(call) {
      const { request } = call;
      const bytes = length + request.length;
      const isTooMuch = request.length === 0 || request.length > requestBytesMax;
      if (isTooMuch || held.count + request.length > heldBytesMax) drop();
      held.count -= room.length;
      if (isDropped) {
        onEnd(null);
        return;
      }
      held.count += bytes;
      // Copies, because the bytes may be a part of larger memory, which they would keep.
      onEnd({ ...call, request: request.slice(), answer: room.slice(0, length), bytes });
    },
  };
}
