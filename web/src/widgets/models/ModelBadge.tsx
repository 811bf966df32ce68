import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";

/**
 * A model by the name that the client used, with its brand's mark; and the upstream name if the
 * channel's model mapping gave it another one.
 */
export function ModelBadge(props: {
  model: string;
  /** The model's name at the upstream; undefined: the same as the client's. */
  upstream?: string | undefined;
  /** The reasoning effort that was asked for. */
  effort?: string | undefined;
  /** Shown in place of the plain name: a button or link that contains it. */
  children?: ReactNode;
}) {
  const { model, upstream, effort, children } = props;
  const t = useT();
  const isMapped = upstream !== undefined && upstream !== model;
  return (
    <span className="inline-flex max-w-full min-w-0 flex-col align-middle leading-tight">
      <span className="inline-flex min-w-0 items-center gap-1.5">
        <ModelMark model={model} />
        <span className="min-w-0 truncate font-medium">{children ?? model}</span>
        {effort !== undefined && effort !== "" && <Badge tone="neutral">{effort}</Badge>}
      </span>
      {isMapped && (
        <span className="inline-flex min-w-0 items-center gap-1 text-xs" title={upstream}>
          <Muted>
            <ArrowRight size={12} aria-label={t("widgets.badgeMappedTo")} className="shrink-0" />
          </Muted>
          <span className="min-w-0 truncate">
            <Muted>{upstream}</Muted>
          </span>
        </span>
      )}
    </span>
  );
}
