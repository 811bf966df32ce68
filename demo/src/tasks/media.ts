/** Pictures and sounds, made when they are asked for: bytes of formats that browsers read. */

/** The edge of a picture, in pixels. */
const edge = 192;

/** Draws a picture whose colours follow from the seed, as an uncompressed bitmap. */
export function drawBitmap(seed: string): Uint8Array {
  const hue = [...seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  const headBytes = 54;
  const bytes = new Uint8Array(headBytes + edge * edge * 3);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, headBytes, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, edge, true);
  view.setInt32(22, edge, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  for (let y = 0; y < edge; y += 1) {
    for (let x = 0; x < edge; x += 1) {
      const wave = Math.sin((x + hue) / 23) + Math.cos((y - hue) / 31) + Math.sin((x + y) / 47);
      const at = headBytes + (y * edge + x) * 3;
      for (const [channel, shift] of [0, 120, 240].entries()) {
        bytes[at + channel] = 128 + 100 * Math.sin(wave + ((hue + shift) * Math.PI) / 180);
      }
    }
  }
  return bytes;
}

/** Samples of sound a second, and how long it lasts, in seconds. */
const sampleRate = 8_000;
const soundSeconds = 3;

/** Plays a few notes, as an uncompressed sound. */
export function playNotes(seed: string): Uint8Array {
  const count = sampleRate * soundSeconds;
  const bytes = new Uint8Array(44 + count);
  const view = new DataView(bytes.buffer);
  const write = (at: number, text: string): void => bytes.set(new TextEncoder().encode(text), at);
  write(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  write(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  write(36, "data");
  view.setUint32(40, count, true);
  const base = 220 + (seed.length % 12) * 20;
  const notes = [1, 1.25, 1.5, 2];
  for (let at = 0; at < count; at += 1) {
    const note = notes[Math.floor((at / sampleRate) * 2) % notes.length] ?? 1;
    const fade = 1 - (at % (sampleRate / 2)) / (sampleRate / 2);
    bytes[44 + at] = 128 + 60 * fade * Math.sin((2 * Math.PI * base * note * at) / sampleRate);
  }
  return bytes;
}
