import { Children, type ReactNode } from "react";

/** The rows of a card without padding, with a line between them. */
export function Rows(props: {
  /** `ordered`: their order means something, such as the largest first. */
  readonly ordered?: boolean | undefined;
  /** The name of the list for screen readers; absent: the card's title says it. */
  readonly label?: string | undefined;
  readonly children: ReactNode;
}) {
  const List = props.ordered === true ? "ol" : "ul";
  return (
    <List aria-label={props.label}>
      {Children.map(props.children, (child) => (
        <li className="border-line px-4 py-2.5 not-first:border-t">{child}</li>
      ))}
    </List>
  );
}
