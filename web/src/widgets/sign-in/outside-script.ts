/** Scripts of others, which a network or a page loaded before a setting changed may keep away. */

/** Longest a script may take before the page says that it does not come, in milliseconds. */
const loadMaxMs = 20_000;

/**
 * Loads one from an element of its own, at the end of `place`.
 *
 * @param attributes what the script reads from its element.
 * @throws Error when it does not come.
 */
export async function loadOutside(
  place: HTMLElement,
  address: string,
  attributes: Readonly<Record<string, string>> = {},
): Promise<void> {
  const script = document.createElement("script");
  script.src = address;
  script.async = true;
  for (const [name, value] of Object.entries(attributes)) script.setAttribute(name, value);
  await new Promise<void>((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`${address} does not come`));
    const timer = setTimeout(giveUp, loadMaxMs);
    const settle = (end: () => void) => () => {
      clearTimeout(timer);
      end();
    };
    script.addEventListener("load", settle(resolve));
    script.addEventListener("error", settle(giveUp));
    place.append(script);
  });
}
