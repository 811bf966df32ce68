/**
 * Many rows in few large pieces of memory: each has an id, one or more keys by which it is found,
 * and a text. An object a row would take several times the memory, and the collector's time.
 *
 * A row is: id (8 bytes), number of keys (1), for each key its length (2) and bytes, length of the
 * text (4) and its bytes.
 */

type PackedRow = {
  readonly id: number;
  readonly keys: readonly string[];
  readonly text: string;
};

type RowIndex = {
  /** Finds a row by one of its keys. */
  find(key: string): { readonly id: number; readonly text: string } | undefined;
  readonly count: number;
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const idBytes = 8;
const keyLengthBytes = 2;
const textLengthBytes = 4;

/** Writes rows one after another. */
export function packRows(rows: readonly PackedRow[]): Uint8Array<ArrayBuffer> {
  const parts = rows.map(({ id, keys, text }) => ({
    id,
    keys: keys.map((key) => encoder.encode(key)),
    text: encoder.encode(text),
  }));
  const size = parts.reduce(
    (sum, { keys, text }) =>
      keys.reduce((all, key) => all + keyLengthBytes + key.length, sum) +
      idBytes +
      1 +
      textLengthBytes +
      text.length,
    0,
  );
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const { id, keys, text } of parts) {
    view.setFloat64(at, id);
    view.setUint8(at + idBytes, keys.length);
    at += idBytes + 1;
    for (const key of keys) {
      view.setUint16(at, key.length);
      bytes.set(key, at + keyLengthBytes);
      at += keyLengthBytes + key.length;
    }
    view.setUint32(at, text.length);
    bytes.set(text, at + textLengthBytes);
    at += textLengthBytes + text.length;
  }
  return bytes;
}

/** Makes an index of all rows of some pieces, which must not change afterwards. */
export function indexRows(pieces: readonly Uint8Array[]): RowIndex {
  const views = pieces.map(({ buffer, byteOffset, byteLength }) => {
    return new DataView(buffer, byteOffset, byteLength);
  });
  let rows = 0;
  let keys = 0;
  for (const view of views) {
    for (let at = 0; at < view.byteLength; at = endOf(view, at)) {
      rows += 1;
      keys += view.getUint8(at + idBytes);
    }
  }
  // Twice as many slots as keys, so that few keys meet.
  const slots = 2 ** Math.ceil(Math.log2(Math.max(2, keys * 2)));
  const mask = slots - 1;
  /** For each slot the piece and the place of a row, both counted from 1; 0: the slot is free. */
  const pieceOf = new Uint32Array(slots);
  const placeOf = new Uint32Array(slots);

  views.forEach((view, piece) => {
    for (let at = 0; at < view.byteLength; at = endOf(view, at)) {
      let key = at + idBytes + 1;
      for (let left = view.getUint8(at + idBytes); left > 0; left -= 1) {
        const length = view.getUint16(key);
        const from = key + keyLengthBytes;
        let slot = hashOf(view, from, length) & mask;
        while (pieceOf[slot] !== 0) slot = (slot + 1) & mask;
        pieceOf[slot] = piece + 1;
        placeOf[slot] = at;
        key = from + length;
      }
    }
  });

  return {
    count: rows,
    find(key) {
      const wanted = encoder.encode(key);
      const own = new DataView(wanted.buffer, wanted.byteOffset, wanted.byteLength);
      let slot = hashOf(own, 0, wanted.length) & mask;
      for (; pieceOf[slot] !== 0; slot = (slot + 1) & mask) {
        const view = views[(pieceOf[slot] ?? 0) - 1];
        const at = placeOf[slot] ?? 0;
        if (view !== undefined && hasKey(view, at, wanted)) return read(view, at);
      }
      return undefined;
    },
  };
}

/** FNV-1a. The keys are hashes already, so it only has to take all of them into account. */
function hashOf(view: DataView, from: number, length: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < from + length; at += 1) {
    hash = Math.imul(hash ^ view.getUint8(at), 0x01000193);
  }
  return hash >>> 0;
}

function hasKey(view: DataView, row: number, wanted: Uint8Array): boolean {
  let key = row + idBytes + 1;
  for (let left = view.getUint8(row + idBytes); left > 0; left -= 1) {
    const length = view.getUint16(key);
    key += keyLengthBytes;
    if (length === wanted.length && wanted.every((byte, at) => view.getUint8(key + at) === byte)) {
      return true;
    }
    key += length;
  }
  return false;
}

/** Returns where the length of a row's text is. */
function textAt(view: DataView, row: number): number {
  let at = row + idBytes + 1;
  for (let left = view.getUint8(row + idBytes); left > 0; left -= 1) {
    at += keyLengthBytes + view.getUint16(at);
  }
  return at;
}

function endOf(view: DataView, row: number): number {
  const at = textAt(view, row);
  return at + textLengthBytes + view.getUint32(at);
}

function read(view: DataView, row: number): { readonly id: number; readonly text: string } {
  const at = textAt(view, row);
  const bytes = new Uint8Array(
    view.buffer,
    view.byteOffset + at + textLengthBytes,
    view.getUint32(at),
  );
  return { id: view.getFloat64(row), text: decoder.decode(bytes) };
}
