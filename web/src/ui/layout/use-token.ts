import { useEffect, useState } from "react";

/** Reads the current value of a CSS variable of the page's root; it changes with the theme. */
export function useToken(name: string): string {
  const [value, setValue] = useState(() => readToken(name));
  useEffect(() => {
    const observer = new MutationObserver(() => setValue(readToken(name)));
    observer.observe(document.documentElement, { attributeFilter: ["class"] });
    return () => observer.disconnect();
  }, [name]);
  return value;
}

function readToken(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
