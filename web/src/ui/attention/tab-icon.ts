/** The icon of the tab: the logo, with a dot while something needs attention or runs. */

import type { Attention } from "./attention.ts";

/** Width and height of the drawn icon, in pixels. */
const iconSize = 64;

/** Radius of the dot, and of the gap around it. */
const dotRadius = 15;
const gapRadius = 20;

/** The last icon that was asked for; a slower one before it is not shown any more. */
let wanted = "";

/** Shows the logo as the tab's icon. Where the dot cannot be drawn, only the title says it. */
export async function showTabIcon(logo: string, attention: Attention): Promise<void> {
  const tone =
    attention.unread > 0 ? "--danger-solid" : attention.running > 0 ? "--info-solid" : null;
  const asked = `${logo} ${tone}`;
  if (wanted === asked) return;
  wanted = asked;
  const drawn = tone === null ? logo : await withDot(logo, tone).catch(() => logo);
  if (wanted === asked) setIcon(drawn);
}

function setIcon(address: string): void {
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon === null || icon.getAttribute("href") === address) return;
  // The page's HTML states the type of the built-in logo; the type of another image is unknown.
  icon.removeAttribute("type");
  icon.href = address;
}

/**
 * Draws the logo with a dot in its corner. Rejects when the logo cannot be loaded, or is of another
 * site: the browser lets no script read such an image.
 */
async function withDot(logo: string, tone: string): Promise<string> {
  const image = new Image(iconSize, iconSize);
  image.src = logo;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = iconSize;
  canvas.height = iconSize;
  const pen = canvas.getContext("2d");
  if (pen === null) throw new Error("this browser draws nothing");
  pen.drawImage(image, 0, 0, iconSize, iconSize);
  const place = iconSize - dotRadius;
  pen.globalCompositeOperation = "destination-out";
  pen.arc(place, dotRadius, gapRadius, 0, 2 * Math.PI);
  pen.fill();
  pen.globalCompositeOperation = "source-over";
  pen.beginPath();
  pen.arc(place, dotRadius, dotRadius, 0, 2 * Math.PI);
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(tone);
  pen.fill();
  return canvas.toDataURL("image/png");
}
