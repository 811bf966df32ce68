import { useEffect } from "react";
import { useSystemName } from "#widgets/server/SystemMark.tsx";

/** Sets the window's title to a screen's while the screen is shown. */
export function useDocumentTitle(title: string): void {
  const name = useSystemName();
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
}
