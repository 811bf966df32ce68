/** Shows a long text as it is, with its line breaks, in a box that scrolls. */
export function TextBlock(props: { readonly label: string; readonly text: string }) {
  return (
    <pre
      // A scrolling region must be reachable with the keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="region"
      aria-label={props.label}
      dir="auto"
      className="max-h-[60dvh] overflow-auto rounded border border-line bg-sunken px-3 py-2.5 font-mono text-sm leading-5 wrap-anywhere whitespace-pre-wrap focus-visible:-outline-offset-2"
    >
      {props.text}
    </pre>
  );
}
