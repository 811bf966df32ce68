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
  "inline-flex items-center justify-center gap-1.5 rounded border font-medium select-none";

const oneLine = "shrink-0 whitespace-nowrap";

/** For a label of any length, such as a model's name: it is broken where there is no room. */
const lines = "max-w-full text-left wrap-anywhere";

const sizes: Readonly<Record<ButtonSize, string>> = {
  md: "h-control px-3 text-base",
  sm: "h-control-small px-2.5 text-sm",
};

const wrappedSizes: Readonly<Record<ButtonSize, string>> = {
  md: "min-h-control px-3 py-1 text-base",
  sm: "min-h-control-small px-2.5 py-1 text-sm",
};

const squareSizes: Readonly<Record<ButtonSize, string>> = {
  md: "size-control",
  sm: "size-control-small",
};

/** How a button takes its room: `square` for an icon alone, `wrapped` for labels of any length. */
type ButtonForm = "one-line" | "square" | "wrapped";

/** Returns the CSS classes of a button, for buttons and for links that look like one. */
export function buttonLook(
  variant: ButtonVariant,
  size: ButtonSize,
  disabled: boolean,
  form: ButtonForm = "one-line",
): string {
  const quietOff = variant === "ghost" ? "border-transparent text-faint" : off;
  const sizesOf = { "one-line": sizes, square: squareSizes, wrapped: wrappedSizes }[form];
  return classes(
    frame,
    form === "wrapped" ? lines : oneLine,
    sizesOf[size],
    disabled ? quietOff : variants[variant],
  );
}
