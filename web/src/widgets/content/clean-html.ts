import { useEffect, useState } from "react";

/**
 * Returns HTML written by administrators, with scripts and event handlers removed; null until the
 * sanitiser has run for the first time.
 */
export function useCleanHtml(html: string): string | null {
  const [clean, setClean] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    void cleanHtml(html).then((made) => {
      if (wanted) setClean(made);
    });
    return () => {
      wanted = false;
    };
  }, [html]);
  return clean;
}

/** Sanitises HTML. The sanitiser is loaded only when there is some HTML to clean. */
async function cleanHtml(html: string): Promise<string> {
  if (html === "") return "";
  const { default: purify } = await import("dompurify");
  return purify.sanitize(html, { USE_PROFILES: { html: true }, ADD_ATTR: ["target"] });
}
