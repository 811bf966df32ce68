/** HTML of administrators without anything that runs. Loaded when there is some. */
export async function cleanHtml(html: string): Promise<string> {
  const { default: purify } = await import("dompurify");
  return purify.sanitize(html, { USE_PROFILES: { html: true }, ADD_ATTR: ["target"] });
}
