import { type ComponentType, lazy, Suspense } from "react";
import type { PictureName } from "./Picture.tsx";

// Loaded when the first picture is shown, because sign-in and lists with rows need none. Without
// it the place stays blank: the text beside a picture says the same.
const Drawn = lazy(async () => ({ default: await loadPicture() }));

async function loadPicture(): Promise<ComponentType<PictureProps>> {
  try {
    return (await import("./Picture.tsx")).Picture;
  } catch {
    return () => null;
  }
}

type PictureProps = { readonly name: PictureName; readonly large?: boolean };

/** A small picture, with its place kept free while it is loaded. */
export function LazyPicture(props: PictureProps) {
  return (
    <span className={`flex shrink-0 ${props.large === true ? "h-36 w-66" : "h-24 w-44"}`}>
      <Suspense>
        <Drawn {...props} />
      </Suspense>
    </span>
  );
}
