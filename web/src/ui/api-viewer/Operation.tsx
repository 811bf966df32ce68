import { ChevronDown, ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { Badge } from "#ui/feedback/Badge.tsx";
import type { Tone } from "#ui/tone.ts";

const tones: Readonly<Record<string, Tone>> = {
  DELETE: "danger",
  GET: "info",
  POST: "success",
  PUT: "warning",
};

/** A call of an API on one line, which unfolds to what is sent and answered. */
export function Operation(props: {
  readonly method: string;
  readonly path: string;
  readonly title?: ReactNode;
  readonly children: ReactNode;
}) {
  const { method, path, title, children } = props;
  const [isOpen, setOpen] = useState(false);
  const part = useId();
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <li className="min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={part}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-11 w-full items-center gap-x-3 gap-y-1 px-3 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2 max-sm:flex-wrap"
      >
        <Icon size={16} aria-hidden className="shrink-0 text-muted" />
        <span className="w-16 shrink-0">
          <Badge tone={tones[method] ?? "neutral"}>{method}</Badge>
        </span>
        <code className="min-w-0 font-mono text-sm wrap-anywhere sm:flex-1">{path}</code>
        {title !== undefined && <span className="text-sm text-muted sm:text-right">{title}</span>}
      </button>
      <div id={part} hidden={!isOpen} className="border-t border-line">
        {isOpen && <div className="flex min-w-0 flex-col gap-4 px-3 py-4 sm:pl-10">{children}</div>}
      </div>
    </li>
  );
}

/** A box around calls that belong together. */
export function OperationList({ children }: { readonly children: ReactNode }) {
  return <ul className="divide-y divide-line rounded border border-line bg-panel">{children}</ul>;
}
