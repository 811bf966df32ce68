/** Width and height of the drawn icon, in pixels. */
const iconSize = 64;

/** Radius of the dot, and of the gap around it. */
const dotRadius = 15;
const gapRadius = 20;

/**
 * Draws the logo with a dot in its corner. Rejects when the logo cannot be loaded, or is of another
 * site: the browser lets no script read such an image.
 */
export async function withDot(logo: string, tone: string): Promise<string> {
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
