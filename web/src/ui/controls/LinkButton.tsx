import type { ComponentProps, ReactNode } from "react";
import { type ButtonSize, type ButtonVariant, buttonLook } from "./button-look.ts";
import { Anchor, type LinkTarget } from "./Link.tsx";

/** A link that looks like a button, for commands that only open another page. */
export function LinkButton(
  props: LinkTarget &
    Omit<ComponentProps<"a">, "className" | "style" | "href"> & {
      variant?: ButtonVariant | undefined;
      size?: ButtonSize | undefined;
      icon?: ReactNode;
    },
) {
  const { variant = "default", size = "md", icon, children, ...rest } = props;
  return (
    <Anchor {...rest} className={buttonLook(variant, size, false)}>
      {icon}
      {children}
    </Anchor>
  );
}
