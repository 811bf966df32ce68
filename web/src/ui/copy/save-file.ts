/** Makes the browser download `content` as a file with this name. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The memory is released later, because some browsers read the content only after the click.
  setTimeout(() => URL.revokeObjectURL(url), releaseMs);
}

/** Milliseconds after which the browser may free the file's memory. */
const releaseMs = 60_000;
