/**
 * The pictures of a question: few and small, because they are sent inside the request as `data:`
 * URLs.
 */

export const picturesMax = 4;

/** The largest size of a picture file in bytes. Encoded in the request it is a third larger. */
export const pictureBytesMax = 1024 * 1024;

/** The picture formats that the models accept. */
export const pictureTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

export type Refused = "size" | "type" | "count";

type PictureFile = Pick<File, "size" | "type">;

/**
 * Splits chosen files into those that can be sent (`taken`) and the reasons why others cannot
 * (`refused`).
 */
export function choosePictures<Picture extends PictureFile>(
  files: readonly Picture[],
  present: number,
): { readonly taken: readonly Picture[]; readonly refused: ReadonlySet<Refused> } {
  const refused = new Set<Refused>();
  const fit = files.filter((file) => {
    if (!pictureTypes.some((type) => type === file.type)) refused.add("type");
    else if (file.size > pictureBytesMax) refused.add("size");
    else return true;
    return false;
  });
  const taken = fit.slice(0, Math.max(0, picturesMax - present));
  if (taken.length < fit.length) refused.add("count");
  return { taken, refused };
}

/**
 * Reads a picture file as a `data:` URL.
 *
 * @throws the browser's own error if the file cannot be read.
 */
export async function readPicture(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return `data:${file.type};base64,${btoa(text)}`;
}
