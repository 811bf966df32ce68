import type { ReactNode } from "react";

/** The area of a screen, beside the side menu. `narrow`: a smaller width, for text and forms. */
export function Page(props: { narrow?: boolean | undefined; children: ReactNode }) {
  return (
    <div
      className={`mx-auto flex w-full flex-col gap-4 p-5 max-md:p-3 ${
        props.narrow === true ? "max-w-200" : "max-w-460"
      }`}
    >
      {props.children}
    </div>
  );
}
