import { useEffect } from "react";
import { useStatus } from "#widgets/server/use-status.ts";

/** Shown until the server's name is known. */
const productName = "Tollgate";

export function useSystemName(): string {
  return useStatus()?.system_name || productName;
}

/** Sets the window's title to the screen's while it is shown. */
export function useDocumentTitle(title: string): void {
  const name = useSystemName();
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
}
