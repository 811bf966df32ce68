import type { ReactNode } from "react";
import { Muted } from "#ui/feedback/Muted.tsx";

/** The layout of screens before the sign-in: a narrow column in the middle of the page. */
export function SignInFrame(props: {
  readonly title: string;
  readonly description?: string | undefined;
  readonly children: ReactNode;
}) {
  const { title, description, children } = props;
  return (
    <div className="mx-auto flex w-full max-w-96 flex-col gap-5 px-4 pt-[12vh] pb-10 max-md:pt-10">
      <header>
        <h1 className="text-2xl font-semibold">{title}</h1>
        {description !== undefined && (
          <p className="mt-1">
            <Muted>{description}</Muted>
          </p>
        )}
      </header>
      {children}
    </div>
  );
}
