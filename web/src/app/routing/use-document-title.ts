import { useEffect } from "react";
import { tabTitle, useAttention } from "#ui/attention/attention.ts";
import { useSystemName } from "#widgets/server/SystemMark.tsx";

/**
 * Sets the window's title to a screen's while the screen is shown, with a mark of what runs and how
 * many failures are unread.
 */
export function useDocumentTitle(title: string): void {
  const name = useSystemName();
  const attention = useAttention();
  useEffect(() => {
    document.title = tabTitle(`${title} · ${name}`, attention);
  }, [title, name, attention]);
}
