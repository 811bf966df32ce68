import type { ReactNode } from "react";
import { classes } from "#ui/controls/classes.ts";
import { DialogScope } from "./DialogScope.tsx";
import { ModalFrame } from "./ModalFrame.tsx";

/** 480, 600 and 720 pixels. */
const widths = { md: "md:w-120", wide: "md:w-150", lg: "md:w-180" } as const;

/**
 * A panel at the side of the page. Escape, the close button and a press on the page behind all call
 * `onClose`; the sheet itself asks no question before. On a phone it fills the screen, and `footer`
 * stays in view.
 */
export function Sheet(props: {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  footer?: ReactNode;
  width?: keyof typeof widths | undefined;
  children?: ReactNode;
}) {
  const { width = "md", children, ...rest } = props;
  return (
    <ModalFrame
      {...rest}
      place={classes(
        "inset-y-0 right-0 h-dvh w-full md:max-w-[calc(100vw-4rem)] md:border-l",
        "data-ending-style:translate-x-4 data-starting-style:translate-x-4",
        widths[width],
      )}
    >
      <DialogScope active={props.open}>{children}</DialogScope>
    </ModalFrame>
  );
}
