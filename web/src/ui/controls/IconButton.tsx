/** A button that is an icon, with its name as a tooltip. */

import type { ComponentProps, ReactNode } from "react";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { Tooltip } from "#ui/overlays/Tooltip.tsx";
import { type ButtonSize, type ButtonVariant, buttonLook } from "./button-look.ts";

type IconButtonProps = Omit<
  ComponentProps<"button">,
  "className" | "style" | "aria-label" | "children"
> & {
  /** The button's name for screen readers, also shown as its tooltip. */
  label: string;
  icon: ReactNode;
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  loading?: boolean | undefined;
};

export function IconButton(props: IconButtonProps) {
  const { label, icon, variant = "ghost", size = "md", loading = false, ...native } = props;
  const disabled = native.disabled ?? false;
  return (
    <Tooltip content={label}>
      <button
        {...native}
        type={native.type ?? "button"}
        aria-label={label}
        aria-busy={loading || undefined}
        aria-disabled={loading || undefined}
        onClick={loading ? (event) => event.preventDefault() : native.onClick}
        className={buttonLook(variant, size, disabled, "square")}
      >
        {loading ? <Spinner /> : icon}
      </button>
    </Tooltip>
  );
}
