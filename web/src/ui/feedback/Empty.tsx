import { Inbox } from "lucide-react";
import type { ReactNode } from "react";

/** An empty state: says what would be here, and offers the one action that fills it. */
export function Empty(props: {
  icon?: ReactNode;
  title: ReactNode;
  description?: ReactNode;
  action?: ReactNode;
}) {
  const { icon = <Inbox size={24} aria-hidden />, title, description, action } = props;
  return (
    <div className="flex flex-col items-center px-4 py-10 text-center">
      <div className="mb-3 text-muted">{icon}</div>
      <p className="text-base font-medium">{title}</p>
      {description !== undefined && description !== null && (
        <div className="mt-1 max-w-110 text-sm text-muted">{description}</div>
      )}
      {action !== undefined && action !== null && <div className="mt-4">{action}</div>}
    </div>
  );
}
