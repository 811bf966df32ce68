import { useEffect } from "react";
import { useStatus } from "#widgets/server/use-status.ts";

/** The name in the window's title until the server's name is known. */
const productName = "Tollgate";

export function useSystemName(): string {
  return useStatus()?.system_name || productName;
}

/** Sets the window's title to a screen's while the screen is shown. */
export function useDocumentTitle(title: string): void {
  const name = useSystemName();
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
}
