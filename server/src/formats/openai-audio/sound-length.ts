/**
 * Estimates how many seconds of sound a file has, by its header. The hold and, where an upstream
 * reports nothing, the bill depend on it.
 */

/** Bytes of a second of speech in a file whose header says nothing: 32 kbit/s. */
const bytesPerSecondUsual = 4_000;

/** The fewest bytes that a second of sound has in any format: 2 kbit/s. */
const bytesPerSecondMin = 250;

export function soundSeconds(file: Uint8Array): number {
  const seconds = wavSeconds(file) ?? mp3Seconds(file) ?? flacSeconds(file);
  return Math.min(seconds ?? file.length / bytesPerSecondUsual, longestSeconds(file.length));
}

/** The most seconds that a file of this size can have. */
export function longestSeconds(bytes: number): number {
  return bytes / bytesPerSecondMin;
}

/** The header of a WAV file without extensions, in bytes. */
const wavHeadBytes = 44;

/** Seconds of a WAV file, by the rate in its header. Undefined: it is none. */
function wavSeconds(file: Uint8Array): number | undefined {
  if (file.length < wavHeadBytes || textAt(file, 0) !== "RIFF" || textAt(file, 8) !== "WAVE") {
    return undefined;
  }
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const rate = view.getUint32(28, true);
  return rate >= bytesPerSecondMin ? (file.length - wavHeadBytes) / rate : undefined;
}

/** Seconds of a FLAC file, from its header. */
function flacSeconds(file: Uint8Array): number | undefined {
  if (file.length < 26 || textAt(file, 0) !== "fLaC") return undefined;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const samplesPerSecond = view.getUint32(18) >>> 12;
  const samples = (view.getUint8(21) & 0x0f) * 2 ** 32 + view.getUint32(22);
  return samplesPerSecond > 0 && samples > 0 ? samples / samplesPerSecond : undefined;
}

/** Thousands of bits a second of MPEG layer 3 by the index in a frame's header: version 1, then 2. */
const mp3Rates = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;

/** How far from the beginning the first frame of an MP3 file is searched, in bytes. */
const mp3SearchBytes = 4_096;

/** Seconds of an MP3 file, by the rate of its first frame. Undefined: it is none. */
function mp3Seconds(file: Uint8Array): number | undefined {
  const start = textAt(file, 0).startsWith("ID3") ? 10 + tagLength(file) : 0;
  const end = Math.min(file.length - 3, start + mp3SearchBytes);
  for (let at = start; at < end; at += 1) {
    const second = file[at + 1] ?? 0;
    const isFrame = file[at] === 0xff && (second & 0xe6) === 0xe2;
    if (!isFrame) continue;
    const rates = (second & 0x08) === 0 ? mp3Rates[1] : mp3Rates[0];
    const kilobits = rates[(file[at + 2] ?? 0) >> 4] ?? 0;
    if (kilobits > 0) return (file.length - at) / (kilobits * 125);
  }
  return undefined;
}

/** The length of an ID3 tag without its head: four bytes of seven bits each. */
function tagLength(file: Uint8Array): number {
  let length = 0;
  for (let at = 6; at < 10; at += 1) length = length * 128 + ((file[at] ?? 0) & 0x7f);
  return length;
}

function textAt(file: Uint8Array, at: number): string {
  return String.fromCharCode(...file.subarray(at, at + 4));
}
