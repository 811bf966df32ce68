import { useEffect } from "react";
import { useStatus } from "#widgets/server/use-status.ts";

/** Shown until the server has said its name. */
const productName = "Tollgate";

export function useSystemName(): string {
  return useStatus()?.system_name || productName;
}

/** Names the window after the screen, while that is shown. */
export function useDocumentTitle(title: string): void {
  const name = useSystemName();
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
}
