import { Slider as Base } from "@base-ui/react/slider";
import { ariaOf, type ControlProps } from "./control.ts";

/** A number that is set by dragging or with the arrow keys. */
export function Slider(
  props: ControlProps & {
    value: number;
    onChange: (value: number) => void;
    min: number;
    max: number;
    step?: number | undefined;
    "aria-label": string;
  },
) {
  const { value, onChange, min, max, step = 1, disabled } = props;
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => onChange(next)}
      min={min}
      max={max}
      step={step}
      disabled={disabled}
      thumbAlignment="edge"
      className="w-full"
    >
      <Base.Control className="flex h-control w-full touch-none items-center select-none">
        <Base.Track className="h-1 w-full rounded-full bg-active">
          <Base.Indicator className="rounded-full bg-accent-solid" />
          <Base.Thumb
            {...ariaOf(props)}
            className={
              "size-4 rounded-full border-2 border-accent-solid bg-panel has-focus-visible:outline-2 " +
              "has-focus-visible:outline-offset-1 has-focus-visible:outline-ring"
            }
          />
        </Base.Track>
      </Base.Control>
    </Base.Root>
  );
}
