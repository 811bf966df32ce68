import type { ReactNode } from "react";
import { GatePicture } from "#ui/picture/GatePicture.tsx";
import { SplitPage } from "#ui/layout/SplitPage.tsx";
import { SystemMark, useSystemName } from "#widgets/server/SystemMark.tsx";

/** The layout of screens before the sign-in: whose console this is, and one task. */
export function SignInFrame(props: {
  readonly title: string;
  readonly description?: string | undefined;
  readonly children: ReactNode;
}) {
  const { title, description, children } = props;
  const name = useSystemName();
  return (
    <SplitPage
      picture={<GatePicture />}
      lowPicture={<GatePicture cut />}
      mark={<SystemMark size={40} />}
      name={name}
      title={title}
      description={description}
    >
      {children}
    </SplitPage>
  );
}
