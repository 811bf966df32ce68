/** Gives the browser a file to keep, as if it had been downloaded. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers read it after the press.
  setTimeout(() => URL.revokeObjectURL(url), releaseMs);
}

/** Milliseconds until the memory of the file is given back. */
const releaseMs = 60_000;
