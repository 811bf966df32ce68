/** Writes a stream as one JSON list, whose elements arrive one by one. */

import { openSseReader } from "#base/sse.ts";
import type { StreamReframer } from "#formats/format.ts";

const encoder = new TextEncoder();

/**
 * Opens a writer that turns events into elements of a list. What is no event, such as a keep-alive
 * comment, becomes a blank line, which JSON allows between elements.
 */
export function openListWriter(): StreamReframer {
  const reader = openSseReader();
  let count = 0;

  function elements(frames: readonly { readonly data: string }[]): string {
    let text = "";
    for (const { data } of frames) {
      text += (count === 0 ? "[" : ",\r\n") + data;
      count += 1;
    }
    return text;
  }

  return {
    write: (bytes) => encoder.encode(elements(reader.push(bytes)) || "\n"),
    end(last) {
      const text = elements([...reader.push(last), ...reader.end()]);
      return encoder.encode(`${text}${count === 0 ? "[" : ""}\r\n]`);
    },
  };
}
