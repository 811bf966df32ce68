import type { ReactNode } from "react";
import { LazyPicture } from "#ui/picture/LazyPicture.tsx";
import type { PictureName } from "#ui/picture/Picture.tsx";

/**
 * Shown where there is no content: a picture or a command that works, a sentence that says what
 * would be here, and the one step that fills it.
 */
export function Empty(props: {
  picture?: PictureName | undefined;
  title: ReactNode;
  description?: ReactNode;
  /** A command to try, as a `CodeBlock`; shown instead of the picture. */
  command?: ReactNode;
  action?: ReactNode;
  /** Larger, for a whole page. */
  large?: boolean | undefined;
}) {
  const { picture = "quiet", title, description, command, action, large = false } = props;
  const hasCommand = command !== undefined && command !== null;
  return (
    <div className="flex flex-col items-center px-4 py-10 text-center max-md:py-8">
      {!hasCommand && (
        <div className="mb-4">
          <LazyPicture name={picture} large={large} />
        </div>
      )}
      <p className={`max-w-140 font-medium wrap-anywhere ${large ? "text-2xl" : "text-lg"}`}>
        {title}
      </p>
      {description !== undefined && description !== null && (
        <div className="mt-1 max-w-120 text-sm text-pretty wrap-anywhere text-muted">
          {description}
        </div>
      )}
      {hasCommand && <div className="mt-4 w-full max-w-160 text-left">{command}</div>}
      {action !== undefined && action !== null && <div className="mt-4">{action}</div>}
    </div>
  );
}
