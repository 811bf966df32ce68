/** The place of something that is loading. Give it the size of what comes. */
export function Skeleton(props: {
  /** CSS lengths; the whole width and a line of text unless told. */
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
