/** A placeholder for something that is loading; it should be given the size of the content. */
export function Skeleton(props: {
  /** CSS lengths; by default the full width and the height of a line of text. */
  width?: number | string | undefined;
  height?: number | string | undefined;
}) {
  return (
    <span
      aria-hidden
      style={{ width: props.width ?? "100%", height: props.height ?? 12 }}
      className="inline-block max-w-full animate-pulse rounded-inner bg-active align-middle motion-reduce:animate-none"
    />
  );
}
