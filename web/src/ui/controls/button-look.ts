import { classes } from "./classes.ts";

export type ButtonVariant = "primary" | "default" | "ghost" | "danger";
export type ButtonSize = "md" | "sm";

const variants: Readonly<Record<ButtonVariant, string>> = {
  primary:
    "border-accent-solid bg-accent-solid text-on-solid hover:border-accent-hover " +
    "hover:bg-accent-hover active:border-accent-hover active:bg-accent-hover",
  default:
    "border-control bg-field text-ink hover:bg-hover active:bg-active data-popup-open:bg-hover",
  ghost:
    "border-transparent text-ink hover:bg-hover active:bg-active data-popup-open:bg-hover " +
    "aria-pressed:bg-active",
  danger:
    "border-danger-solid bg-danger-solid text-on-solid hover:border-danger-hover " +
    "hover:bg-danger-hover active:border-danger-hover active:bg-danger-hover",
};

/** The look of a disabled button: the same size without colour. */
const off = "border-line bg-sunken text-faint";

const frame =
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded border font-medium " +
  "whitespace-nowrap select-none";

const sizes: Readonly<Record<ButtonSize, string>> = {
  md: "h-control px-3 text-base",
  sm: "h-control-small px-2.5 text-sm",
};

const squareSizes: Readonly<Record<ButtonSize, string>> = {
  md: "size-control",
  sm: "size-control-small",
};

/** Returns the CSS classes of a button, for buttons and for links that look like one. */
export function buttonLook(
  variant: ButtonVariant,
  size: ButtonSize,
  disabled: boolean,
  square = false,
): string {
  const quietOff = variant === "ghost" ? "border-transparent text-faint" : off;
  return classes(
    frame,
    square ? squareSizes[size] : sizes[size],
    disabled ? quietOff : variants[variant],
  );
}
