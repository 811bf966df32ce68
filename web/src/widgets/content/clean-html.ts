import { useEffect, useState } from "react";

/** Administrators' HTML without anything that runs; null until it is cleaned for the first time. */
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

/** The sanitiser is loaded when there is something to clean. */
async function cleanHtml(html: string): Promise<string> {
  if (html === "") return "";
  const { default: purify } = await import("dompurify");
  return purify.sanitize(html, { USE_PROFILES: { html: true }, ADD_ATTR: ["target"] });
}
