import { CircleHelp } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Popover } from "./Popover.tsx";

/** A "?" beside a word, which explains it when it is pressed. */
export function HelpButton({ word, children }: { word: string; children: ReactNode }) {
  const t = useT();
  const label = t("ui.helpOn", { word });
  return (
    // It takes no more height than the label it stands beside.
    <span className="-my-2 inline-flex">
      <Popover
        title={label}
        trigger={<IconButton size="sm" label={label} icon={<CircleHelp size={14} aria-hidden />} />}
      >
        {/* A width of its own: texts that come later must not widen it past a phone's edge. */}
        <div className="w-64 text-sm">{children}</div>
      </Popover>
    </span>
  );
}
