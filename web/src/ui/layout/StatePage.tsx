import type { ReactNode } from "react";
import { Empty } from "#ui/feedback/Empty.tsx";
import type { PictureName } from "#ui/picture/Picture.tsx";

/** Shown in place of a whole screen: a picture, what is the matter, and the next step. */
export function StatePage(props: {
  /** The heading for screen readers; by default the title. */
  readonly heading?: string | undefined;
  readonly picture: PictureName;
  readonly title: string;
  readonly description?: ReactNode;
  readonly action?: ReactNode;
  /** Whether screen readers announce it at once, because the user did not ask for it. */
  readonly urgent?: boolean | undefined;
  /** Shown below, such as the details of an error. */
  readonly children?: ReactNode;
}) {
  const { heading, picture, title, description, action, urgent = false, children } = props;
  return (
    <div
      role={urgent ? "alert" : undefined}
      className="mx-auto flex min-h-full w-full max-w-3xl flex-col justify-center px-4 pb-[8vh]"
    >
      <h1 className="sr-only">{heading ?? title}</h1>
      <Empty large picture={picture} title={title} description={description} action={action} />
      {children}
    </div>
  );
}
