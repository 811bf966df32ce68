import { CircleHelp } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Popover } from "./Popover.tsx";

/** A "?" button beside a word; pressing it shows an explanation of the word. */
export function HelpButton({ word, children }: { word: string; children: ReactNode }) {
  const t = useT();
  const label = t("ui.helpOn", { word });
  return (
    // Negative margins keep the button from making the line higher than the label beside it.
    <span className="-my-2 inline-flex">
      <Popover
        title={label}
        trigger={<IconButton size="sm" label={label} icon={<CircleHelp size={14} aria-hidden />} />}
      >
        {/* The width is fixed, because text that is loaded later must not widen the popover past a
            phone's edge. */}
        <div className="w-64 text-sm">{children}</div>
      </Popover>
    </span>
  );
}
