import type { ReactNode } from "react";
import { useWide } from "#ui/table/use-browser.ts";

/**
 * A page with one task: a narrow column with the mark, a title and the form. A picture
 * fills the other half of a wide window, and the foot of a phone's.
 */
export function SplitPage(props: {
  readonly picture: ReactNode;
  /** The picture for a box that is wide and low. */
  readonly lowPicture: ReactNode;
  readonly mark: ReactNode;
  /** The name that belongs to the mark, above the title. */
  readonly name: string;
  readonly title: string;
  readonly description?: string | undefined;
  readonly children: ReactNode;
}) {
  const { picture, lowPicture, mark, name, title, description, children } = props;
  const wide = useWide();
  return (
    <div className="flex min-h-full max-md:flex-col-reverse max-md:justify-end">
      <div className="relative min-w-0 flex-1 overflow-hidden border-line bg-sunken max-md:mt-auto max-md:min-h-40 max-md:flex-none max-md:border-t md:border-r">
        <div className="absolute inset-0">{wide ? picture : lowPicture}</div>
      </div>
      <div className="flex min-w-0 flex-1 flex-col items-center px-4 py-10 max-md:flex-none md:justify-center">
        <div className="flex w-full max-w-96 flex-col gap-5">
          <header>
            {mark}
            <p dir="auto" className="mt-4 text-sm wrap-anywhere text-muted">
              {name}
            </p>
            <h1 className="text-2xl font-semibold">{title}</h1>
            {description !== undefined && <p className="mt-1 text-muted">{description}</p>}
          </header>
          {children}
        </div>
      </div>
    </div>
  );
}
