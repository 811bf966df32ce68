import type { ReactNode } from "react";

export type ShownField = {
  readonly name: string;
  /** Empty: not said. */
  readonly type?: string;
  readonly required?: boolean;
  readonly text?: ReactNode;
};

/** Fields with their types or meanings, one below the other. */
export function FieldList(props: {
  readonly title: string;
  readonly required: string;
  readonly fields: readonly ShownField[];
}) {
  const { title, required, fields } = props;
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <h3 className="text-sm font-medium">{title}</h3>
      <dl className="divide-y divide-line border-y border-line text-sm">
        {fields.map(({ name, type, required: isRequired, text }) => (
          <div key={name} className="flex gap-x-4 py-1.5 max-sm:flex-col">
            <dt className="w-72 shrink-0 font-mono wrap-anywhere max-sm:w-full">
              {name}
              {isRequired === true && (
                <span className="ml-2 font-sans text-xs text-muted">{required}</span>
              )}
            </dt>
            <dd className="min-w-0 flex-1 text-muted wrap-anywhere">{text ?? type}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
