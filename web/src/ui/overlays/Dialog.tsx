import type { ReactNode } from "react";
import { DialogScope } from "./DialogScope.tsx";
import { type DialogWidth, dialogPlace } from "./dialog-place.ts";
import { ModalFrame } from "./ModalFrame.tsx";

/** A dialog in the middle of the page. Forms of records use `Sheet` instead. */
export function Dialog(props: {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  footer?: ReactNode;
  width?: DialogWidth | undefined;
  children?: ReactNode;
}) {
  const { width = "md", children, ...rest } = props;
  return (
    <ModalFrame {...rest} place={dialogPlace(width)}>
      <DialogScope active={props.open}>{children}</DialogScope>
    </ModalFrame>
  );
}
