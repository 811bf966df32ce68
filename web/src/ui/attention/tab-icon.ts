/** The icon of the tab: the logo, with a dot while something needs attention or runs. */

import type { Attention } from "./attention.ts";

/** The last icon that was asked for; a slower one before it is not shown any more. */
let wanted = "";

/** Shows the logo as the tab's icon. Where the dot cannot be drawn, only the title says it. */
export async function showTabIcon(logo: string, attention: Attention): Promise<void> {
  const tone =
    attention.unread > 0 ? "--danger-solid" : attention.running > 0 ? "--info-solid" : null;
  const asked = `${logo} ${tone}`;
  if (wanted === asked) return;
  wanted = asked;
  const drawn = tone === null ? logo : await drawDot(logo, tone);
  if (wanted === asked) setIcon(drawn);
}

function setIcon(address: string): void {
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon === null || icon.getAttribute("href") === address) return;
  // The page's HTML states the type of the built-in logo; the type of another image is unknown.
  icon.removeAttribute("type");
  icon.href = address;
}

async function drawDot(logo: string, tone: string): Promise<string> {
  try {
    return await (await import("./dotted-icon.ts")).withDot(logo, tone);
  } catch {
    return logo;
  }
}
