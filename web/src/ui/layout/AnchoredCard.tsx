import { type ReactNode, useId } from "react";
import { Card } from "./Card.tsx";

/** A section of a long page, as a card. An address that ends in `#anchor` leads to it. */
export function AnchoredCard(props: {
  readonly anchor: string;
  readonly title: string;
  readonly help?: ReactNode;
  readonly actions?: ReactNode;
  readonly flush?: boolean;
  readonly children: ReactNode;
}) {
  const { anchor, title, help, actions, flush } = props;
  const titleId = useId();
  return (
    <section
      id={anchor}
      aria-labelledby={titleId}
      className="min-w-0 scroll-mt-4 max-xl:scroll-mt-14"
    >
      <Card title={<h2 id={titleId}>{title}</h2>} actions={actions} flush={flush}>
        {help === undefined ? (
          props.children
        ) : (
          <div className="flex min-w-0 flex-col gap-4">
            <p className="text-sm text-muted">{help}</p>
            {props.children}
          </div>
        )}
      </Card>
    </section>
  );
}
